//! Boards: validated, immutable geometry.

use super::counts::Counts;
use super::geometry::{Geometry, GeometryError, ProfileGeometry, validate};
use super::instance::{GpuInstance, ProfileIndex, SliceStart};
use super::limit::{Limit, all_limits, binding_limits};
use super::packing::cheapest_packings;
use super::profile::Profile;
use super::profile_name::{ComputeInstance, mean_the_same};
use super::provenance::Provenance;
use super::slot_mask::SlotMask;
use std::collections::BTreeSet;

/// A kind of GPU: its memory slots, its compute slices, its profiles and its limits. Validated once, immutable after.
///
/// # Physical waste
///
/// The slots are spread over the compute slices: with `per = slots / compute`, rounded down, slot i belongs to compute
/// slice `min(i / per, compute - 1)`. Slots from `per * compute` on are the *extra* slots of the last compute slice; the
/// A100 and its successors have one. An instance wastes the compute slices that its slots touch but that it does not
/// have. The one on the last slot that is not extra also wastes the extra slots outside it that no instance beside it could
/// occupy (Turkkan et al., Table 3).
#[derive(Clone, PartialEq, Debug)]
pub struct Board {
    name: String,
    aliases: Vec<String>,
    slots: u32,
    compute: u32,
    profiles: Vec<Profile>,
    limits: Vec<Limit>,
    extra_slots: Vec<ExtraSlot>,
    provenance: Option<Provenance>,
}

/// A slot beyond the share of the last compute slice.
#[derive(Clone, PartialEq, Debug)]
struct ExtraSlot {
    /// The slot alone.
    slot: SlotMask,
    /// The footprints of the instances that occupy it.
    occupants: Vec<SlotMask>,
}

impl Board {
    /// A board from a geometry that is written in place.
    ///
    /// # Errors
    /// The first rule of board geometry that is broken.
    pub fn from_geometry(name: &str, geometry: &Geometry) -> Result<Board, GeometryError> {
        let profiles = geometry.profiles.iter().map(profile_of_geometry).collect();
        Board::assemble(name.to_owned(), Vec::new(), geometry.slots, geometry.compute, profiles, None)
    }

    /// A board from its parts, checked; the starts of the profiles need not be sorted.
    pub(super) fn assemble(
        name: String,
        aliases: Vec<String>,
        slots: u32,
        compute: u32,
        mut profiles: Vec<Profile>,
        provenance: Option<Provenance>,
    ) -> Result<Board, GeometryError> {
        profiles.iter_mut().for_each(|profile| profile.starts.sort_unstable());
        validate(slots, compute, &profiles)?;
        let laid_out = cheapest_packings(&profiles, slots, SlotMask::first(slots), |_| 0, |_| true)
            .ok_or(GeometryError::TooManyMultisets)?;
        let laid_out: Vec<Counts> = laid_out.into_keys().collect();
        lower_maxima(&mut profiles, &laid_out);
        let limits = binding_limits(slots, compute, &profiles, &laid_out);
        // Only now, so that what the compute slices exclude is said of them.
        profiles
            .iter_mut()
            .for_each(|profile| profile.maximum = profile.maximum.min(compute / profile.compute));
        let mut board =
            Board { name, aliases, slots, compute, profiles, limits, extra_slots: Vec::new(), provenance };
        board.extra_slots = board.find_extra_slots();
        Ok(board)
    }

    /// The board's name in the catalogue, or the name given to its geometry.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Other names, such as the driver's product names.
    pub fn aliases(&self) -> &[String] {
        &self.aliases
    }

    /// Whether the name is the board's or one of its other names. Upper and lower case are alike.
    pub fn answers_to(&self, name: &str) -> bool {
        let names = std::iter::once(&self.name).chain(&self.aliases);
        names.into_iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Memory slots.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Compute slices.
    pub fn compute(&self) -> u32 {
        self.compute
    }

    /// The profiles, in the board's order.
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// The profile at a position of this board's list.
    pub fn profile(&self, profile: ProfileIndex) -> &Profile {
        &self.profiles[profile.index()]
    }

    /// The positions of all profiles.
    pub fn profile_indices(&self) -> impl Iterator<Item = ProfileIndex> + use<> {
        (0..self.profiles.len() as u8).map(ProfileIndex)
    }

    /// The profile of this name or alias, as the board has it or as clusters write it: `MIG 3g.20gb`, `nvidia.com/mig-3g.20gb`,
    /// `1g.5gb.me` for `1g.5gb+me`, `3c.3g.20gb` for the compute instance that is all of it; or the profile of this driver id.
    /// Upper and lower case are alike, and a name as the board has it goes first.
    pub fn find_profile(&self, name: &str) -> Option<ProfileIndex> {
        let with_name = |is_meant: fn(&str, &str) -> bool| {
            self.profile_indices().find(|&index| self.names_of(index).any(|known| is_meant(known, name)))
        };
        with_name(str::eq_ignore_ascii_case)
            .or_else(|| with_name(mean_the_same))
            .or_else(|| {
                let id = name.parse().ok();
                self.profile_indices().find(|&index| id.is_some() && self.profile(index).driver_id == id)
            })
            .or_else(|| {
                let part = ComputeInstance::named(name)?;
                self.find_profile(part.of).filter(|&index| self.profile(index).compute == part.compute)
            })
    }

    /// The name and the aliases of a profile.
    pub fn names_of(&self, profile: ProfileIndex) -> impl Iterator<Item = &str> {
        let profile = self.profile(profile);
        std::iter::once(&profile.name).chain(&profile.aliases).map(String::as_str)
    }

    /// The binding limits: those without which some multiset that has a layout would wrongly be allowed.
    pub fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// All limits that the profiles imply, also those that say nothing new beside [`Board::limits`] and the slots: for words about
    /// why counts are refused.
    pub fn implied_limits(&self) -> Vec<Limit> {
        all_limits(self.slots, self.compute, &self.profiles)
    }

    /// Where the facts come from; `None` for a geometry that was written in place.
    pub fn provenance(&self) -> Option<&Provenance> {
        self.provenance.as_ref()
    }

    /// All slots of the board.
    pub fn all_slots(&self) -> SlotMask {
        SlotMask::first(self.slots)
    }

    /// The slots of the board that are not `occupied`.
    pub fn free_slots(&self, occupied: SlotMask) -> SlotMask {
        self.all_slots().without(occupied)
    }

    /// The slots that an instance occupies.
    pub fn footprint(&self, instance: GpuInstance) -> SlotMask {
        SlotMask::interval(instance.start, self.profile(instance.profile).size)
    }

    /// Whether the board has the profile and allows it to begin there.
    pub fn is_legal(&self, instance: GpuInstance) -> bool {
        self.profiles
            .get(instance.profile.index())
            .is_some_and(|profile| profile.starts.binary_search(&instance.start).is_ok())
    }

    /// Whether an instance can be held beside others: no slot is taken twice, and no limit is exceeded. The others are taken for legal.
    pub fn fits(&self, instance: GpuInstance, others: impl Iterator<Item = GpuInstance> + Clone) -> bool {
        let footprint = self.footprint(instance);
        let within = |limit: &Limit| {
            let usage = |instance: GpuInstance| limit.usage[instance.profile.index()];
            usage(instance) + others.clone().map(usage).sum::<u32>() <= limit.capacity
        };
        others.clone().all(|other| !self.footprint(other).intersects(footprint))
            && self.limits.iter().all(within)
    }

    /// The slots that the instances occupy together.
    pub fn used_slots(&self, instances: &[GpuInstance]) -> SlotMask {
        instances.iter().fold(SlotMask::EMPTY, |used, instance| used.union(self.footprint(*instance)))
    }

    /// Compute slices that the instance's slots touch, so that no other instance can have them.
    pub fn blocked_compute(&self, instance: GpuInstance) -> u32 {
        let size = self.profile(instance.profile).size;
        let first = self.compute_slice_of(u32::from(instance.start.0));
        let last = self.compute_slice_of(u32::from(instance.start.0) + size - 1);
        last - first + 1
    }

    /// Compute slices that the instance blocks without having them.
    pub fn compute_waste(&self, instance: GpuInstance) -> u32 {
        self.blocked_compute(instance).saturating_sub(self.profile(instance.profile).compute)
    }

    /// Extra memory slots that the instance cuts off: if it is on the last slot that is not extra, those outside it that no instance
    /// beside it could occupy.
    pub fn memory_waste(&self, instance: GpuInstance) -> u32 {
        let footprint = self.footprint(instance);
        if !footprint.intersects(SlotMask::interval(SliceStart(self.first_extra_slot() - 1), 1)) {
            return 0;
        }
        let is_cut_off = |extra: &&ExtraSlot| {
            !footprint.contains(extra.slot) && extra.occupants.iter().all(|other| other.intersects(footprint))
        };
        self.extra_slots.iter().filter(is_cut_off).count() as u32
    }

    /// Compute slices and memory slots that the instance wastes.
    pub fn waste(&self, instance: GpuInstance) -> u32 {
        self.compute_waste(instance) + self.memory_waste(instance)
    }

    /// An instance in words: profile and start as `nvidia-smi mig -lgi` would show them, such as `3g.40gb@4`.
    pub fn instance_name(&self, instance: GpuInstance) -> String {
        format!("{}@{}", self.profile(instance.profile).name, instance.start.0)
    }

    /// Counts in words, such as `2 x 3g.40gb + 1g.10gb`; `nothing` if all are zero.
    pub fn counts_name(&self, counts: &Counts) -> String {
        let parts: Vec<String> = counts
            .iter()
            .map(|(profile, count)| match count {
                1 => self.profile(profile).name.clone(),
                _ => format!("{count} x {}", self.profile(profile).name),
            })
            .collect();
        if parts.is_empty() { "nothing".to_owned() } else { parts.join(" + ") }
    }

    fn slots_per_compute_slice(&self) -> u32 {
        self.slots / self.compute
    }

    fn first_extra_slot(&self) -> u8 {
        (self.slots_per_compute_slice() * self.compute) as u8
    }

    fn find_extra_slots(&self) -> Vec<ExtraSlot> {
        let starts_of = |profile| self.profile(profile).starts.iter();
        let instances = self
            .profile_indices()
            .flat_map(|profile| starts_of(profile).map(move |&start| GpuInstance { profile, start }));
        let footprints: BTreeSet<SlotMask> = instances.map(|instance| self.footprint(instance)).collect();
        let extra = (self.first_extra_slot()..self.slots as u8).map(|slot| {
            let slot = SlotMask::interval(SliceStart(slot), 1);
            let occupants = footprints.iter().copied().filter(|footprint| footprint.contains(slot)).collect();
            ExtraSlot { slot, occupants }
        });
        extra.collect()
    }

    fn compute_slice_of(&self, slot: u32) -> u32 {
        (slot / self.slots_per_compute_slice()).min(self.compute - 1)
    }
}

fn profile_of_geometry(profile: &ProfileGeometry) -> Profile {
    Profile {
        name: profile.name.clone(),
        aliases: profile.aliases.clone(),
        driver_id: None,
        nvml_enum: None,
        compute: profile.compute,
        size: profile.size,
        starts: profile.starts.iter().copied().map(SliceStart).collect(),
        maximum: profile.maximum.unwrap_or(u32::MAX),
        multiprocessors: None,
        memory_gib: None,
        engines: profile.engines,
    }
}

/// No maximum needs to exceed what the slots allow, so a missing one becomes exactly that.
fn lower_maxima(profiles: &mut [Profile], laid_out: &[Counts]) {
    for (index, profile) in profiles.iter_mut().enumerate() {
        let most = laid_out.iter().map(|counts| counts.as_slice()[index]).max().unwrap_or(0);
        profile.maximum = profile.maximum.min(most);
    }
}
