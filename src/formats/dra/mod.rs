//! Dynamic resource allocation with the driver gpu.nvidia.com: slices of devices, and claims of them.

mod claim;
mod device_name;
mod slice;

pub use claim::{Allocated, Request, Reserved, ResourceClaim, write_claim};
pub use device_name::MigDeviceName;
pub use slice::{Device, DeviceKind, Pool, PublishedGpu, ResourceSlice, incomplete, pools, write_slice};

/// The driver of NVIDIA's GPUs.
pub const DRIVER: &str = "gpu.nvidia.com";
