//! Names of MIG devices, which tell where the instance is: `gpu-0-mig-1g5gb-me-20-6`.

use mig::{Board, GpuInstance, ProfileIndex, SliceStart};
use std::fmt;

/// The name of a MIG device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigDeviceName {
    /// Minor number of the GPU; not the index that `nvidia-smi` gives it.
    pub minor: u32,
    /// Name of the profile without dots, and with `-` for `+`.
    pub profile: String,
    /// The driver's id of the profile.
    pub profile_id: u32,
    /// First memory slot.
    pub start: u8,
}

impl MigDeviceName {
    /// The parts of such a name; `None` of names of other devices.
    pub fn parse(name: &str) -> Option<Self> {
        let (minor, rest) = name.strip_prefix("gpu-")?.split_once("-mig-")?;
        let (rest, start) = rest.rsplit_once('-')?;
        let (profile, profile_id) = rest.rsplit_once('-')?;
        Some(MigDeviceName {
            minor: minor.parse().ok()?,
            profile: profile.to_owned(),
            profile_id: profile_id.parse().ok()?,
            start: start.parse().ok()?,
        })
    }

    /// The name of an instance of a board; `None` where the board does not know the driver's ids.
    pub fn of(minor: u32, board: &Board, instance: GpuInstance) -> Option<Self> {
        let profile = board.profile(instance.profile);
        Some(MigDeviceName {
            minor,
            profile: in_names(&profile.name),
            profile_id: profile.driver_id?,
            start: instance.start.0,
        })
    }

    /// The instance on a board that has such instances there.
    ///
    /// # Errors
    /// The rule that is broken.
    pub fn on(&self, board: &Board) -> Result<GpuInstance, String> {
        // Two profiles may have one name without signs, such as 1g.24gb+me and 1g.24gb-me; the id tells them apart.
        let named: Vec<ProfileIndex> = board
            .profile_indices()
            .filter(|&index| board.names_of(index).any(|name| in_names(name) == self.profile))
            .collect();
        let has_id =
            |index: &&ProfileIndex| board.profile(**index).driver_id.is_none_or(|id| id == self.profile_id);
        let Some(&first) = named.first() else {
            return Err(format!(
                "device `{self}`: a {} has no profile that device names write as {}. Check the board.",
                board.name(),
                self.profile
            ));
        };
        let Some(&profile) = named.iter().find(has_id) else {
            return Err(format!(
                "device `{self}` has the id {} for {}, which is not that of a {}. Check the board.",
                self.profile_id,
                board.profile(first).name,
                board.name()
            ));
        };
        let known = board.profile(profile);
        let instance = GpuInstance { profile, start: SliceStart(self.start) };
        if board.is_legal(instance) {
            return Ok(instance);
        }
        Err(format!(
            "device `{self}` starts at slot {}, where no {} can start on a {}. Check the board.",
            self.start,
            known.name,
            board.name()
        ))
    }
}

fn in_names(profile: &str) -> String {
    profile.replace('.', "").replace('+', "-")
}

impl fmt::Display for MigDeviceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MigDeviceName { minor, profile, profile_id, start } = self;
        write!(formatter, "gpu-{minor}-mig-{profile}-{profile_id}-{start}")
    }
}
