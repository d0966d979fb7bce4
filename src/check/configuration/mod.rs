//! Configuration files of mig-parted, api/spec/v1.

mod in_order;
mod profile_name;
mod sections;

pub use profile_name::ProfileName;
pub(super) use sections::device_number;
pub use sections::{Devices, Filter};

use ground::{At, Complaints, InputError, Located, SourceText};
use sections::{EntrySection, FileSection};

/// A configuration file.
#[derive(Clone, Debug)]
pub struct ConfigurationFile {
    /// The file.
    pub source: SourceText,
    /// Its configurations, in the order of the file.
    pub configurations: Vec<Configuration>,
}

/// A configuration: what one label asks of a node.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// Its name, the value of the label.
    pub name: String,
    /// Where the name stands.
    pub at: At,
    /// Its entries. All that match a GPU are applied to it, in this order.
    pub entries: Vec<Entry>,
}

/// An entry of a configuration.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where it stands.
    pub at: At,
    /// Boards for which it is meant; for all if there is none.
    pub filters: Vec<Located<Filter>>,
    /// GPUs of the node for which it is meant.
    pub devices: Located<Devices>,
    /// Whether the GPUs shall be in MIG mode.
    pub mig_enabled: bool,
    /// The devices that they shall have, in the order of the file.
    pub mig_devices: Vec<MigDevices>,
}

/// Devices of one kind.
#[derive(Clone, Debug)]
pub struct MigDevices {
    /// Where the profile stands.
    pub at: At,
    /// Their profile.
    pub profile: ProfileName,
    /// How many there are to be.
    pub count: u32,
}

impl ConfigurationFile {
    /// Reads a configuration file in YAML or JSON by the rules of mig-parted.
    ///
    /// # Errors
    /// All that mig-parted would refuse, with line and column: unknown, missing and contradictory fields, another version, names that
    /// are no profiles.
    pub fn parse(source: SourceText) -> Result<Self, InputError> {
        let file: FileSection = source.parse()?;
        if file.version.value != "v1" {
            let message =
                format!("`version` is {}, but must be v1, the only version there is.", file.version.value);
            return Err(source.error_at(file.version.at, None, message));
        }
        let mut complaints = Complaints::default();
        let listed = file.configurations.value.0;
        if listed.is_empty() {
            let message = "`mig-configs` is empty. List at least one configuration.";
            complaints.add(source.error_at(file.configurations.at, None, message));
        }
        let configurations = complaints.keep_each(listed, |(name, entries)| {
            if entries.is_empty() {
                let message = format!("`{}` has no entries. List at least one.", name.value);
                return Err(source.error_at(name.at, None, message));
            }
            let mut wrong = Complaints::default();
            let entries = wrong.keep_each(entries, |entry| Entry::of(&source, entry));
            wrong.finish(Some(Configuration { name: name.value, at: name.at, entries }))
        });
        let file = ConfigurationFile { source: source.clone(), configurations };
        complaints.finish(Some(file))
    }

    /// The greatest index of a GPU that the file names.
    pub fn greatest_index(&self) -> Option<u32> {
        let entries = self.configurations.iter().flat_map(|configuration| &configuration.entries);
        let listed = entries.filter_map(|entry| match &entry.devices.value {
            Devices::All => None,
            Devices::Listed(indices) => indices.iter().max(),
        });
        listed.max().copied()
    }
}

impl Entry {
    fn of(source: &SourceText, entry: Located<EntrySection>) -> Result<Self, InputError> {
        let Located { value: EntrySection { filters, devices, mig_enabled, mig_devices }, at } = entry;
        let listed = match (mig_enabled, mig_devices) {
            (true, None) => {
                let message = "`mig-devices` is missing, but `mig-enabled` is true. List the devices, or write `mig-devices: {}`.";
                return Err(source.error_at(at, Some("mig-enabled"), message));
            }
            (false, Some(listed)) if !listed.0.is_empty() => {
                let message = "`mig-devices` lists devices, but `mig-enabled` is false. Remove them, or set `mig-enabled: true`.";
                return Err(source.error_at(at, Some("mig-devices"), message));
            }
            (_, listed) => listed.map(|listed| listed.0).unwrap_or_default(),
        };
        let mut wrong = Complaints::default();
        let mig_devices = wrong.keep_each(listed, |(name, count)| {
            let profile = ProfileName::parse(&name.value).map_err(|rule| {
                let message = format!("`{}` is not a profile: {rule}.", name.value);
                source.error_at(name.at, None, message)
            })?;
            Ok(MigDevices { at: name.at, profile, count })
        });
        let filters = filters.map(|filters| filters.0).unwrap_or_default();
        wrong.finish(Some(Entry { at, filters, devices, mig_enabled, mig_devices }))
    }

    /// Whether it is meant for boards of any kind.
    pub fn has_no_filter(&self) -> bool {
        self.filters.iter().all(|filter| filter.value.text.is_empty())
    }
}
