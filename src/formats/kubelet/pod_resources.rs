//! The answer of the kubelet's service podresources (`v1.PodResourcesLister/List`) as JSON.

use crate::node::Node;
use crate::place::Record;
use ground::{InputError, SourceText};
use serde_json::{Value, json};

/// What a container holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerDevices {
    /// Namespace of the pod.
    pub namespace: String,
    /// Name of the pod.
    pub pod: String,
    /// Name of the container.
    pub container: String,
    /// Devices of device plugins: resource and id.
    pub devices: Vec<(String, String)>,
    /// Devices of claims: driver, pool and device.
    pub claimed: Vec<(String, String, String)>,
}

pub(crate) fn recognises(root: Node<'_>) -> bool {
    root.get("podResources").or_else(|| root.get("pod_resources")).is_some()
}

/// Reads the containers that hold devices.
///
/// # Errors
/// When a field is missing or wrong.
pub fn read(source: &SourceText) -> Result<Vec<Record<ContainerDevices>>, InputError> {
    let root = Node::root(source)?;
    let list = if root.get("podResources").is_some() { "podResources" } else { "pod_resources" };
    let mut found = Vec::new();
    for pod in root.list(list)? {
        for container in pod.list("containers")? {
            let value = ContainerDevices {
                namespace: pod.needed_text("namespace")?.to_owned(),
                pod: pod.needed_text("name")?.to_owned(),
                container: container.needed_text("name")?.to_owned(),
                devices: devices(container)?,
                claimed: claimed(container)?,
            };
            if !value.devices.is_empty() || !value.claimed.is_empty() {
                found.push(Record { value, place: container.place() });
            }
        }
    }
    Ok(found)
}

/// A field under either of its names: as JSON writes it, or as the protocol does.
fn either<'t>(node: Node<'t>, one: &'static str, other: &'static str) -> &'static str {
    if node.get(other).is_some() { other } else { one }
}

fn devices(container: Node<'_>) -> Result<Vec<(String, String)>, InputError> {
    let mut found = Vec::new();
    for device in container.list("devices")? {
        let resource = device.needed_text(either(device, "resourceName", "resource_name"))?;
        for id in device.list(either(device, "deviceIds", "device_ids"))? {
            found.push((resource.to_owned(), id.text().unwrap_or_default().to_owned()));
        }
    }
    Ok(found)
}

fn claimed(container: Node<'_>) -> Result<Vec<(String, String, String)>, InputError> {
    let mut found = Vec::new();
    for resource in container.list(either(container, "dynamicResources", "dynamic_resources"))? {
        for claim in resource.list(either(resource, "claimResources", "claim_resources"))? {
            let text = |one, other| claim.needed_text(either(claim, one, other)).map(str::to_owned);
            // Devices that come by CDI alone have no name here.
            if claim.get(either(claim, "deviceName", "device_name")).is_some() {
                found.push((
                    text("driverName", "driver_name")?,
                    text("poolName", "pool_name")?,
                    text("deviceName", "device_name")?,
                ));
            }
        }
    }
    Ok(found)
}

/// Writes such an answer.
pub fn write(containers: &[ContainerDevices]) -> String {
    let pod = |held: &ContainerDevices| {
        let devices =
            held.devices.iter().map(|(resource, id)| json!({"resourceName": resource, "deviceIds": [id]}));
        let claimed = held.claimed.iter().map(
            |(driver, pool, device)| json!({"claimResources": [{"driverName": driver, "poolName": pool, "deviceName": device}]}),
        );
        let container = json!({
            "name": held.container,
            "devices": devices.collect::<Vec<Value>>(),
            "dynamicResources": claimed.collect::<Vec<Value>>(),
        });
        json!({"name": held.pod, "namespace": held.namespace, "containers": [container]})
    };
    let pods: Vec<Value> = containers.iter().map(pod).collect();
    format!("{:#}\n", json!({"podResources": pods}))
}
