//! Which workloads may stand for each other: with them a plan chooses who goes where.

use crate::gather::{Gathered, User};

/// Which workloads of one profile may stand for each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Classes {
    /// Those of one controller with the same containers.
    #[default]
    Controller,
    /// All.
    Profile,
    /// None.
    None,
}

impl Classes {
    /// The class of a user; none if nothing may stand for it.
    pub(crate) fn of_user(self, user: &User, gathered: &Gathered, profile: &str) -> Option<(String, String)> {
        match (self, user) {
            (Classes::None, _) => None,
            (Classes::Profile, _) => Some((format!("profile/{profile}"), String::new())),
            (Classes::Controller, User::Pod { namespace, name }) => {
                let pod = &gathered.cluster.pod_named(namespace, name)?.pod;
                let controller = pod.controller.as_ref()?;
                let kind = controller.kind.to_lowercase();
                Some((format!("{namespace}/{kind}/{}", controller.name), pod.template.clone()))
            }
            (Classes::Controller, User::Job { id, .. }) => {
                let array = gathered.cluster.jobs.get(id)?.job.array?;
                Some((format!("job-array-{array}"), String::new()))
            }
            (Classes::Controller, User::PodUid(_) | User::Process { .. }) => None,
        }
    }
}
