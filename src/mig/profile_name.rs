//! Names of profiles as clusters write them.

/// A part of a GPU instance: some of its compute slices, beside other parts that share its memory.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct ComputeInstance<'a> {
    /// Its compute slices, the `c` of the name.
    pub compute: u32,
    /// The profile of the GPU instance.
    pub of: &'a str,
}

impl<'a> ComputeInstance<'a> {
    /// What a name such as `1c.3g.20gb` or `nvidia.com/mig-1c.3g.20gb` stands for; `None` for names of other things.
    pub fn named(name: &'a str) -> Option<Self> {
        let (compute, of) = without_prefix(name).split_once(['c', 'C'])?;
        Some(ComputeInstance { compute: compute.parse().ok()?, of: of.strip_prefix('.')? })
    }
}

/// Whether two names mean one profile, in whichever tool's spelling: Kubernetes has `nvidia.com/mig-1g.5gb.me` for what `nvidia-smi` calls
/// `MIG 1g.5gb+me`. Upper and lower case are alike.
pub(super) fn mean_the_same(one: &str, other: &str) -> bool {
    let letters = |name: &str| -> Vec<u8> {
        let without_plus =
            without_prefix(name).bytes().map(|letter| if letter == b'+' { b'.' } else { letter });
        without_plus.map(|letter| letter.to_ascii_lowercase()).collect()
    };
    letters(one) == letters(other)
}

/// The name without what resources of clusters and lists of drivers put before it.
fn without_prefix(name: &str) -> &str {
    ["nvidia.com/", "mig-", "mig "].into_iter().fold(name, |name, prefix| match name.get(..prefix.len()) {
        Some(start) if start.eq_ignore_ascii_case(prefix) => &name[prefix.len()..],
        _ => name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_clusters_and_drivers() {
        for name in ["1g.5gb+me", "1g.5gb.me", "mig-1g.5gb.me", "nvidia.com/mig-1g.5gb.me", "MIG 1G.5GB+ME"] {
            assert!(mean_the_same("1g.5gb+me", name), "{name}");
        }
        for name in ["1g.5gb", "1g.5gb-me", "1g.5gb.me.all", "amd.com/mig-1g.5gb.me", "mig-mig-1g.5gb.me", ""]
        {
            assert!(!mean_the_same("1g.5gb+me", name), "{name}");
        }
    }

    #[test]
    fn compute_instances_are_parts() {
        let part = |compute, of| Some(ComputeInstance { compute, of });
        assert_eq!(ComputeInstance::named("1c.3g.20gb"), part(1, "3g.20gb"));
        assert_eq!(ComputeInstance::named("nvidia.com/mig-2c.3g.20gb.me"), part(2, "3g.20gb.me"));
        for name in ["3g.20gb", "c.3g.20gb", "1c3g", "chat", "19", ""] {
            assert_eq!(ComputeInstance::named(name), None, "{name}");
        }
    }
}
