//! Metrics of dcgm-exporter: as it exposes them to Prometheus, and as Prometheus answers a query for them.

use super::node::Node;
use super::place::{Place, Record};
use ground::{InputError, SourceText};
use std::collections::BTreeMap;

/// What the labels of a metric tell of a GPU or of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The node.
    pub node: String,
    /// Index of the GPU on the node.
    pub gpu: u32,
    /// UUID of the GPU.
    pub uuid: Option<String>,
    /// Minor number of the GPU.
    pub minor: Option<u32>,
    /// PCI address of the GPU.
    pub pci: Option<String>,
    /// Name of the product.
    pub product: Option<String>,
    /// The instance: profile and id; `None` of a metric of the GPU.
    pub instance: Option<(String, u32)>,
    /// Who holds it.
    pub holder: Holder,
}

/// Who holds a GPU or an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// The exporter does not say.
    NotTold,
    /// No pod.
    Nobody,
    /// A pod.
    Pod {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// The container.
        container: String,
    },
}

const PREFIX: &str = "DCGM_FI_";

pub(crate) fn recognises(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(PREFIX) && line.contains('{'))
}

pub(crate) fn recognises_query(root: Node<'_>) -> bool {
    root.at(&["data", "result"]).is_some()
}

/// Reads what dcgm-exporter exposes: one record for each GPU and instance.
///
/// # Errors
/// When a line is broken, or lacks a label.
pub fn read(source: &SourceText) -> Result<Vec<Record<Metric>>, InputError> {
    let mut metrics = Metrics::default();
    for (position, line) in source.text().lines().enumerate() {
        if !line.starts_with(PREFIX) {
            continue;
        }
        let place = Place::line_at(position);
        let labels = labels(line).ok_or_else(|| {
            place.error(
                source,
                "this is not a metric of dcgm-exporter, such as `DCGM_FI_DEV_FB_USED{gpu=\"0\",...} 15072`. The output was cut off \
                 or edited; fetch it again.",
            )
        })?;
        let label =
            |name: &str| labels.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        metrics.add(metric(label).map_err(|message| place.error(source, message))?, place);
    }
    Ok(metrics.found)
}

/// Reads the answer of Prometheus to a query.
///
/// # Errors
/// When a result lacks a label.
pub fn read_query(source: &SourceText) -> Result<Vec<Record<Metric>>, InputError> {
    let mut metrics = Metrics::default();
    for result in Node::root(source)?.needed("data")?.list("result")? {
        let labels = result.needed("metric")?;
        let label = |name: &str| labels.text_of(name);
        if label("__name__").is_none_or(|name| name.starts_with(PREFIX)) {
            metrics.add(metric(label).map_err(|message| labels.error(message))?, result.place());
        }
    }
    Ok(metrics.found)
}

/// Metrics, each GPU and each instance once.
#[derive(Default)]
struct Metrics {
    found: Vec<Record<Metric>>,
    known: BTreeMap<(String, u32, Option<u32>), usize>,
}

impl Metrics {
    fn add(&mut self, metric: Metric, place: Place) {
        let key = (metric.node.clone(), metric.gpu, metric.instance.as_ref().map(|(_, id)| *id));
        match self.known.get(&key) {
            // Of several metrics some may say more.
            Some(&known) => {
                let holder = &mut self.found[known].value.holder;
                if matches!(metric.holder, Holder::Pod { .. }) || *holder == Holder::NotTold {
                    *holder = metric.holder;
                }
            }
            None => {
                self.known.insert(key, self.found.len());
                self.found.push(Record { value: metric, place });
            }
        }
    }
}

fn metric<'l>(label: impl Fn(&str) -> Option<&'l str>) -> Result<Metric, String> {
    let missing = |name: &str| {
        format!(
            "the metric lacks a usable label `{name}`. Fetch it from dcgm-exporter or Prometheus as it is, without aggregation."
        )
    };
    let number = |name: &str| match label(name).filter(|text| !text.is_empty()) {
        Some(text) => text.parse::<u32>().map(Some).map_err(|_| missing(name)),
        None => Ok(None),
    };
    let owned = |name: &str| label(name).filter(|text| !text.is_empty()).map(str::to_owned);
    let instance = match (owned("GPU_I_PROFILE"), number("GPU_I_ID")?) {
        (Some(profile), Some(id)) => Some((profile, id)),
        _ => None,
    };
    // Where Prometheus does not honour labels, those of the exporter are called otherwise, and `pod` is the exporter.
    let prefix = if label("exported_pod").is_some() { "exported_" } else { "" };
    let of_pod = |name: &str| label(&format!("{prefix}{name}")).map(str::to_owned);
    let holder = match of_pod("pod") {
        None => Holder::NotTold,
        Some(pod) if pod.is_empty() => Holder::Nobody,
        Some(name) => Holder::Pod {
            namespace: of_pod("namespace").unwrap_or_default(),
            name,
            container: of_pod("container").unwrap_or_default(),
        },
    };
    Ok(Metric {
        node: owned("Hostname").or_else(|| owned("hostname")).ok_or_else(|| missing("Hostname"))?,
        gpu: number("gpu")?.ok_or_else(|| missing("gpu"))?,
        uuid: owned("UUID").filter(|uuid| uuid.starts_with("GPU-")),
        minor: label("device").and_then(|device| device.strip_prefix("nvidia")?.parse().ok()),
        pci: owned("pci_bus_id"),
        product: owned("modelName"),
        instance,
        holder,
    })
}

/// The labels of a line, if it is whole.
fn labels(line: &str) -> Option<Vec<(&str, String)>> {
    let mut rest = &line[line.find('{')? + 1..];
    let mut labels = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        if let Some(value) = rest.strip_prefix('}') {
            let is_number = value.split_whitespace().next().is_some_and(|value| value.parse::<f64>().is_ok());
            return is_number.then_some(labels);
        }
        let (name, value) = rest.split_once("=\"")?;
        let mut text = String::new();
        let mut letters = value.char_indices();
        let end = loop {
            match letters.next()? {
                (at, '"') => break at,
                (_, '\\') => text.push(match letters.next()?.1 {
                    'n' => '\n',
                    other => other,
                }),
                (_, letter) => text.push(letter),
            }
        };
        labels.push((name.trim(), text));
        rest = &value[end + 1..];
    }
}

/// Writes metrics as the exporter exposes them.
pub fn write(metrics: &[Metric]) -> String {
    let line = |metric: &Metric| {
        let mut labels = vec![("gpu", metric.gpu.to_string())];
        let mut add = |name, value: Option<String>| labels.extend(value.map(|value| (name, value)));
        add("UUID", metric.uuid.clone());
        add("pci_bus_id", metric.pci.clone());
        add("device", metric.minor.map(|minor| format!("nvidia{minor}")));
        add("modelName", metric.product.clone());
        add("GPU_I_PROFILE", metric.instance.as_ref().map(|(profile, _)| profile.clone()));
        add("GPU_I_ID", metric.instance.as_ref().map(|(_, id)| id.to_string()));
        add("Hostname", Some(metric.node.clone()));
        let pod = match &metric.holder {
            Holder::NotTold => None,
            Holder::Nobody => Some(["", "", ""]),
            Holder::Pod { namespace, name, container } => Some([container.as_str(), namespace, name]),
        };
        for (name, value) in ["container", "namespace", "pod"].into_iter().zip(pod.into_iter().flatten()) {
            add(name, Some(value.to_owned()));
        }
        let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        format!("DCGM_FI_DEV_FB_USED{{{}}} 0\n", labels.join(","))
    };
    let head =
        "# HELP DCGM_FI_DEV_FB_USED Framebuffer memory used (in MiB).\n# TYPE DCGM_FI_DEV_FB_USED gauge\n";
    format!("{head}{}", metrics.iter().map(line).collect::<String>())
}
