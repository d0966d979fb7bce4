//! ResourceClaims: who has a device, and who waits for one.

use super::DRIVER;
use crate::kubernetes::metadata::name_of;
use crate::node::Node;
use crate::place::Record;
use ground::InputError;
use serde_json::{Value, json};

/// A claim.
#[derive(Clone, Debug)]
pub struct ResourceClaim {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The pod that it was made for, if it was made for one.
    pub pod: Option<Reserved>,
    /// What it asks for.
    pub requests: Vec<Request>,
    /// Whether it has been given devices, be they of NVIDIA's driver or not.
    pub is_allocated: bool,
    /// The devices of NVIDIA's driver that it was given; without those given for administration.
    pub allocated: Vec<Record<Allocated>>,
    /// The pods that use it.
    pub reserved_for: Vec<Reserved>,
}

/// A request for devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The class of devices.
    pub class: String,
    /// Names of the profiles that its selectors name, any of which serves.
    pub profiles: Vec<String>,
    /// How many.
    pub count: u32,
}

impl Request {
    /// Whether it is for MIG devices.
    pub fn is_mig(&self) -> bool {
        !self.profiles.is_empty() || self.class.split(['.', '-']).any(|word| word == "mig")
    }
}

/// A device that a claim was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocated {
    /// The pool, which has the name of its node.
    pub pool: String,
    /// The device.
    pub device: String,
}

/// A pod that uses a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// Name of the pod.
    pub name: String,
    /// UID of the pod.
    pub uid: String,
}

impl ResourceClaim {
    pub(crate) fn read(node: Node<'_>) -> Result<Self, InputError> {
        let (namespace, name) = name_of(node)?;
        let owners = node.needed("metadata")?.list("ownerReferences")?;
        let pod = owners
            .into_iter()
            .find(|owner| owner.text_of("kind") == Some("Pod"))
            .map(reserved)
            .transpose()?;
        let mut requests = Vec::new();
        for request in
            node.at(&["spec", "devices"]).map_or(Ok(Vec::new()), |devices| devices.list("requests"))?
        {
            requests.extend(read_request(request)?);
        }
        let allocation = node.at(&["status", "allocation"]);
        let mut allocated = Vec::new();
        for result in allocation
            .and_then(|allocation| allocation.get("devices"))
            .map_or(Ok(Vec::new()), |devices| devices.list("results"))?
        {
            let is_ours = result.needed_text("driver")? == DRIVER;
            if is_ours && result.text_of("adminAccess") != Some("true") {
                let (pool, device) = (result.needed_text("pool")?, result.needed_text("device")?);
                let value = Allocated { pool: pool.to_owned(), device: device.to_owned() };
                allocated.push(Record { value, place: result.place() });
            }
        }
        let mut reserved_for = Vec::new();
        for user in node.get("status").map_or(Ok(Vec::new()), |status| status.list("reservedFor"))? {
            if user.text_of("resource") == Some("pods") {
                reserved_for.push(reserved(user)?);
            }
        }
        Ok(ResourceClaim {
            namespace,
            name,
            pod,
            requests,
            is_allocated: allocation.is_some(),
            allocated,
            reserved_for,
        })
    }
}

fn reserved(node: Node<'_>) -> Result<Reserved, InputError> {
    let uid = node.text_of("uid").unwrap_or_default().to_owned();
    Ok(Reserved { name: node.needed_text("name")?.to_owned(), uid })
}

/// A request as versions of the API have it: in place, under `exactly`, or as alternatives of which the first counts.
fn read_request(node: Node<'_>) -> Result<Option<Request>, InputError> {
    let alternatives = node.list("firstAvailable")?;
    if let Some(first) = alternatives.first() {
        let mut request = one_request(*first)?;
        for other in &alternatives[1..] {
            request.profiles.extend(one_request(*other)?.profiles);
        }
        return Ok(Some(request));
    }
    let exact = node.get("exactly").unwrap_or(node);
    if exact.text_of("adminAccess") == Some("true") {
        return Ok(None);
    }
    one_request(exact).map(Some)
}

fn one_request(node: Node<'_>) -> Result<Request, InputError> {
    let mut profiles = Vec::new();
    for selector in node.list("selectors")? {
        let expression = selector.at(&["cel", "expression"]).and_then(Node::text).unwrap_or_default();
        profiles.extend(profiles_in(expression));
    }
    let class = node.needed_text("deviceClassName")?.to_owned();
    Ok(Request { class, profiles, count: node.number("count")?.unwrap_or(1) })
}

/// Names of profiles in quotes in an expression.
fn profiles_in(expression: &str) -> impl Iterator<Item = String> {
    let quoted = expression.split(['\'', '"']).skip(1).step_by(2);
    let is_profile = |text: &&str| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && text[digits..].starts_with("g.") && text.contains("gb")
    };
    quoted.filter(is_profile).map(str::to_owned)
}

/// A claim of a pod for a profile, and the device that it was given on a node.
pub fn write_claim(namespace: &str, pod: &str, profile: &str, allocated: Option<(&str, &str)>) -> Value {
    let uid = format!("uid-{namespace}-{pod}");
    let status = allocated.map(|(node, device)| {
        let result = json!({"request": "mig", "driver": DRIVER, "pool": node, "device": device});
        json!({
            "allocation": {"devices": {"results": [result]}},
            "reservedFor": [{"resource": "pods", "name": pod, "uid": uid}],
        })
    });
    let selector =
        json!({"cel": {"expression": format!("device.attributes['{DRIVER}'].profile == '{profile}'")}});
    let exactly = json!({"deviceClassName": "mig.nvidia.com", "count": 1, "selectors": [selector]});
    json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": format!("{pod}-mig"),
            "namespace": namespace,
            "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": uid, "controller": true}],
        },
        "spec": {"devices": {"requests": [{"name": "mig", "exactly": exactly}]}},
        "status": status.unwrap_or_else(|| json!({})),
    })
}
