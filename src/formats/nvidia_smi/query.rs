//! `nvidia-smi -q -x`: GPUs with their MIG mode, MIG devices and processes. It tells neither profiles nor starts.

use crate::place::{Place, Record};
use ground::{InputError, SourceText};
use roxmltree::{Document, Node, ParsingOptions};
use std::cell::Cell;

/// A GPU.
#[derive(Clone, Debug)]
pub struct GpuQuery {
    /// PCI address, such as `00000000:07:00.0`.
    pub pci: String,
    /// Name of the product.
    pub product: Option<String>,
    /// UUID.
    pub uuid: Option<String>,
    /// Minor number, the `N` of `/dev/nvidiaN`.
    pub minor: Option<u32>,
    /// Whether MIG is on now; `None` of a GPU that does not know MIG.
    pub mig: Option<bool>,
    /// Whether MIG will be on after the next reset.
    pub pending_mig: Option<bool>,
    /// Its MIG devices.
    pub devices: Vec<Record<DeviceQuery>>,
    /// What runs on it.
    pub processes: Vec<Record<Process>>,
}

/// A MIG device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceQuery {
    /// Its number on its GPU, as in `nvidia-smi -L`.
    pub index: u32,
    /// Id of its GPU instance.
    pub gpu_instance: u32,
    /// Id of its compute instance.
    pub compute_instance: u32,
}

/// A process that uses a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// GPU instance; `None` of a GPU without MIG.
    pub gpu_instance: Option<u32>,
    /// Compute instance; `None` of a GPU without MIG.
    pub compute_instance: Option<u32>,
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
}

pub(crate) fn recognises(text: &str) -> bool {
    text.contains("<nvidia_smi_log") || text.starts_with("<?xml")
}

/// Reads the GPUs in the order of their indices.
///
/// # Errors
/// When the text is no XML, which it also is not once it is cut, and when a field is missing or no number.
pub fn read(source: &SourceText) -> Result<Vec<Record<GpuQuery>>, InputError> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(source.text(), options).map_err(|error| {
        let message = format!(
            "this is not the XML that `nvidia-smi -q -x` writes: {error}. It was cut off or edited; write the whole output of the \
             command to the file again."
        );
        Place::Line(error.pos().row).error(source, message)
    })?;
    if !document.root_element().has_tag_name("nvidia_smi_log") {
        let message = "this is XML, but not the output of `nvidia-smi -q -x`. Leave the file out.";
        return Err(Place::Line(1).error(source, message));
    }
    let reader = Reader { source, counted: Cell::default() };
    children(document.root_element(), "gpu").map(|gpu| reader.gpu(gpu)).collect()
}

fn children<'a>(node: Node<'a, 'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn child<'a>(node: Node<'a, 'a>, name: &'static str) -> Option<Node<'a, 'a>> {
    children(node, name).next()
}

/// The text of a field, which is not `N/A`.
fn text<'a>(node: Node<'a, 'a>, name: &'static str) -> Option<&'a str> {
    child(node, name)?.text().map(str::trim).filter(|text| !text.is_empty() && *text != "N/A")
}

struct Reader<'a> {
    source: &'a SourceText,
    /// Bytes read so far, and the line breaks in them: places are asked for from the top down.
    counted: Cell<(usize, usize)>,
}

impl<'a> Reader<'a> {
    fn place(&self, node: Node<'a, 'a>) -> Place {
        let start = node.range().start;
        let (from, breaks) = Some(self.counted.get()).filter(|&(from, _)| from <= start).unwrap_or_default();
        let more = &self.source.text().as_bytes()[from..start];
        let breaks = breaks + more.iter().filter(|&&byte| byte == b'\n').count();
        self.counted.set((start, breaks));
        Place::line_at(breaks)
    }

    fn number(&self, node: Node<'a, 'a>, name: &'static str) -> Result<Option<u32>, InputError> {
        let Some(text) = text(node, name) else { return Ok(None) };
        let wrong = || {
            let message = format!("`{name}` is `{text}`, not a number. Run `nvidia-smi -q -x` again.");
            self.place(child(node, name).unwrap_or(node)).error(self.source, message)
        };
        text.parse().map(Some).map_err(|_| wrong())
    }

    fn needed(&self, node: Node<'a, 'a>, name: &'static str) -> Result<u32, InputError> {
        self.number(node, name)?.ok_or_else(|| {
            let message = format!("`{name}` is missing here. Run `nvidia-smi -q -x` again.");
            self.place(node).error(self.source, message)
        })
    }

    fn gpu(&self, gpu: Node<'a, 'a>) -> Result<Record<GpuQuery>, InputError> {
        let place = self.place(gpu);
        let Some(pci) = gpu.attribute("id") else {
            return Err(place.error(self.source, "this GPU has no `id`. Run `nvidia-smi -q -x` again."));
        };
        let owned = |name| text(gpu, name).map(str::to_owned);
        let mode =
            |name| child(gpu, "mig_mode").and_then(|mode| text(mode, name)).map(|mode| mode == "Enabled");
        let devices = child(gpu, "mig_devices").map(|all| self.devices(all)).transpose()?;
        let processes = child(gpu, "processes").map(|all| self.processes(all)).transpose()?;
        let value = GpuQuery {
            pci: pci.to_owned(),
            product: owned("product_name"),
            uuid: owned("uuid"),
            minor: self.number(gpu, "minor_number")?,
            mig: mode("current_mig"),
            pending_mig: mode("pending_mig"),
            devices: devices.unwrap_or_default(),
            processes: processes.unwrap_or_default(),
        };
        Ok(Record { value, place })
    }

    fn devices(&self, all: Node<'a, 'a>) -> Result<Vec<Record<DeviceQuery>>, InputError> {
        let device = |node| {
            let value = DeviceQuery {
                index: self.needed(node, "index")?,
                gpu_instance: self.needed(node, "gpu_instance_id")?,
                compute_instance: self.needed(node, "compute_instance_id")?,
            };
            Ok(Record { value, place: self.place(node) })
        };
        children(all, "mig_device").map(device).collect()
    }

    fn processes(&self, all: Node<'a, 'a>) -> Result<Vec<Record<Process>>, InputError> {
        let process = |node| {
            let value = Process {
                gpu_instance: self.number(node, "gpu_instance_id")?,
                compute_instance: self.number(node, "compute_instance_id")?,
                pid: self.needed(node, "pid")?,
                name: text(node, "process_name").unwrap_or_default().to_owned(),
            };
            Ok(Record { value, place: self.place(node) })
        };
        children(all, "process_info").map(process).collect()
    }
}

/// Writes what [`read`] reads.
pub fn write<'a>(gpus: impl IntoIterator<Item = &'a GpuQuery>) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n<nvidia_smi_log>\n",
    );
    for gpu in gpus {
        write_gpu(gpu, &mut text);
    }
    text + "</nvidia_smi_log>\n"
}

fn write_gpu(gpu: &GpuQuery, text: &mut String) {
    let field = |name: &str, value: Option<String>| {
        format!("<{name}>{}</{name}>", escaped(&value.unwrap_or_else(|| "N/A".to_owned())))
    };
    let mode = |mode: Option<bool>| mode.map(|is_on| if is_on { "Enabled" } else { "Disabled" }.to_owned());
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    let mut line = |depth: usize, content: &str| {
        text.push_str(&"\t".repeat(depth));
        text.push_str(content);
        text.push('\n');
    };
    line(1, &format!("<gpu id=\"{}\">", escaped(&gpu.pci)));
    line(2, &field("product_name", gpu.product.clone()));
    line(2, "<mig_mode>");
    line(3, &field("current_mig", mode(gpu.mig)));
    line(3, &field("pending_mig", mode(gpu.pending_mig)));
    line(2, "</mig_mode>");
    if gpu.devices.is_empty() {
        line(2, "<mig_devices>None</mig_devices>");
    } else {
        line(2, "<mig_devices>");
        for Record { value: device, .. } in &gpu.devices {
            line(3, "<mig_device>");
            line(4, &field("index", number(Some(device.index))));
            line(4, &field("gpu_instance_id", number(Some(device.gpu_instance))));
            line(4, &field("compute_instance_id", number(Some(device.compute_instance))));
            line(3, "</mig_device>");
        }
        line(2, "</mig_devices>");
    }
    line(2, &field("minor_number", number(gpu.minor)));
    line(2, &field("uuid", gpu.uuid.clone()));
    line(2, "<processes>");
    for Record { value: process, .. } in &gpu.processes {
        line(3, "<process_info>");
        line(4, &field("gpu_instance_id", number(process.gpu_instance)));
        line(4, &field("compute_instance_id", number(process.compute_instance)));
        line(4, &field("pid", number(Some(process.pid))));
        line(4, &field("process_name", Some(process.name.clone())));
        line(3, "</process_info>");
    }
    line(2, "</processes>");
    line(1, "</gpu>");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
