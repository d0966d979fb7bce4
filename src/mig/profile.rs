//! Profiles: the kinds of GPU instances that a board offers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::instance::SliceStart;

/// Media and copy engines of one GPU instance, as `nvidia-smi mig -lgip` lists them.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Engines {
    /// Copy engines (`CE`).
    pub copy: u32,
    /// Video decoders (`DEC`, NVDEC).
    pub decode: u32,
    /// Video encoders (`ENC`, NVENC).
    pub encode: u32,
    /// JPEG decoders (`JPEG`, NVJPG).
    pub jpeg: u32,
    /// Optical flow accelerators (`OFA`).
    pub optical_flow: u32,
}

impl Engines {
    /// The larger number of every kind of engine.
    pub(super) fn maximum(self, other: Engines) -> Engines {
        Engines {
            copy: self.copy.max(other.copy),
            decode: self.decode.max(other.decode),
            encode: self.encode.max(other.encode),
            jpeg: self.jpeg.max(other.jpeg),
            optical_flow: self.optical_flow.max(other.optical_flow),
        }
    }
}

/// One kind of GPU instance on one board.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// The name that the board prints, such as `3g.40gb`.
    pub name: String,
    /// Other names that drivers or earlier boards use for the same profile.
    pub aliases: Vec<String>,
    /// The ID column of `nvidia-smi mig -lgip`. It is a number of the board: 14 is `2g` on an A100 and `1g` on an A30.
    pub driver_id: Option<u32>,
    /// The value of `NVML_GPU_INSTANCE_PROFILE_*`, which mig-parted's checkpoints store.
    pub nvml_enum: Option<u32>,
    /// Compute slices, the `g` of the name.
    pub compute: u32,
    /// Consecutive memory slots that an instance occupies.
    pub size: u32,
    /// Slots at which an instance may begin, in ascending order.
    pub starts: Vec<SliceStart>,
    /// Most instances of this profile on one board, `Instances Total` of `nvidia-smi mig -lgip`.
    pub maximum: u32,
    /// Streaming multiprocessors of one instance.
    pub multiprocessors: Option<u32>,
    /// Memory of one instance in GiB; it depends a little on the driver.
    pub memory_gib: Option<f64>,
    /// Engines of one instance, where they are known.
    pub engines: Option<Engines>,
}
