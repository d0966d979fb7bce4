//! CPU and main memory as Kubernetes writes them: `250m`, `4`, `512Mi`, `129e6`.

use crate::node::Node;
use ground::InputError;
use std::ops::AddAssign;

/// CPU and main memory, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Requests {
    /// Thousandths of a core.
    pub cpu: u64,
    /// Bytes.
    pub memory: u64,
}

impl AddAssign for Requests {
    fn add_assign(&mut self, other: Requests) {
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.memory = self.memory.saturating_add(other.memory);
    }
}

impl Requests {
    /// The fields `cpu` and `memory` of an entry.
    pub(super) fn read(entry: Node<'_>) -> Result<Self, InputError> {
        Ok(Requests { cpu: amount(entry, "cpu", 1000)?, memory: amount(entry, "memory", 1)? })
    }

    /// What a pod asks for: its containers together, or one that runs before them if that asks for more; and what the pod takes itself.
    pub(super) fn of_pod(spec: Node<'_>) -> Result<Self, InputError> {
        let mut running = Requests::default();
        for container in spec.list("containers")? {
            running += of_container(container)?;
        }
        // Sidecars are started in their order and stay; the others before and between them end.
        let (mut sidecars, mut most) = (Requests::default(), Requests::default());
        for container in spec.list("initContainers")? {
            let own = of_container(container)?;
            let mut now = sidecars;
            now += own;
            if container.text_of("restartPolicy") == Some("Always") {
                sidecars = now;
            }
            most = most.at_least(now);
        }
        running += sidecars;
        let mut total = running.at_least(most);
        if let Some(overhead) = spec.get("overhead") {
            total += Requests::read(overhead)?;
        }
        Ok(total)
    }

    fn at_least(self, other: Requests) -> Requests {
        Requests { cpu: self.cpu.max(other.cpu), memory: self.memory.max(other.memory) }
    }
}

/// Its requests; where there is none, its limit stands for it.
fn of_container(container: Node<'_>) -> Result<Requests, InputError> {
    let resources = container.get("resources");
    let one = |name: &str, unit| {
        let given = ["requests", "limits"].into_iter().filter_map(|kind| resources?.get(kind));
        given
            .into_iter()
            .find(|given| given.get(name).is_some())
            .map_or(Ok(0), |given| amount(given, name, unit))
    };
    Ok(Requests { cpu: one("cpu", 1000)?, memory: one("memory", 1)? })
}

fn amount(entry: Node<'_>, name: &str, unit: u64) -> Result<u64, InputError> {
    let Some(value) = entry.get(name) else { return Ok(0) };
    value.text().and_then(|text| quantity(text, unit)).ok_or_else(|| {
        value
            .error(format!("`{name}` must be a quantity such as 4, 250m or 512Mi. Export the objects again."))
    })
}

/// A quantity in parts of a unit, rounded up as Kubernetes does.
fn quantity(text: &str, unit: u64) -> Option<u64> {
    const SUFFIXES: [(&str, i128, i128); 15] = [
        ("Ki", 1 << 10, 1),
        ("Mi", 1 << 20, 1),
        ("Gi", 1 << 30, 1),
        ("Ti", 1 << 40, 1),
        ("Pi", 1 << 50, 1),
        ("Ei", 1 << 60, 1),
        ("n", 1, 1_000_000_000),
        ("u", 1, 1_000_000),
        ("m", 1, 1000),
        ("k", 1000, 1),
        ("M", 1_000_000, 1),
        ("G", 1_000_000_000, 1),
        ("T", 1_000_000_000_000, 1),
        ("P", 1_000_000_000_000_000, 1),
        ("E", 1_000_000_000_000_000_000, 1),
    ];
    let suffix = SUFFIXES.iter().find_map(|&(suffix, by, of)| Some((text.strip_suffix(suffix)?, by, of)));
    let (number, mut by, mut of) = suffix.unwrap_or((text, 1, 1));
    let (number, exponent) = match number.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok().filter(|power| power.abs() <= 18)?),
        None => (number, 0),
    };
    let power = 10_i128.checked_pow(exponent.unsigned_abs())?;
    if exponent < 0 {
        of = of.checked_mul(power)?;
    } else {
        by = by.checked_mul(power)?;
    }
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok().filter(|digits| *digits >= 0)?;
    of = of.checked_mul(10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?)?;
    let parts = digits.checked_mul(by)?.checked_mul(i128::from(unit))?;
    u64::try_from((parts + of - 1) / of).ok()
}

#[cfg(test)]
mod tests {
    use super::quantity;

    #[test]
    fn quantities_are_read_as_kubernetes_means_them() {
        for (text, unit, parts) in [
            ("4", 1000, Some(4000)),
            ("250m", 1000, Some(250)),
            ("0.5", 1000, Some(500)),
            ("1500u", 1000, Some(2)),
            ("512Mi", 1, Some(512 << 20)),
            ("1031Gi", 1, Some(1031 << 30)),
            ("1.5Gi", 1, Some(3 << 29)),
            ("129e6", 1, Some(129_000_000)),
            ("129M", 1, Some(129_000_000)),
            ("1E", 1, Some(1_000_000_000_000_000_000)),
            ("1E3", 1, Some(1000)),
            ("2e-3", 1000, Some(2)),
            ("-1", 1, None),
            ("", 1, None),
            ("4 cores", 1, None),
            ("1e99", 1, None),
        ] {
            assert_eq!(quantity(text, unit), parts, "{text}");
        }
    }
}
