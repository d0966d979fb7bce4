//! Labels for NVIDIA's MIG manager, with the configurations that they name.

use crate::applied_file::AppliedFile;
use crate::course::Course;
use crate::handover;
use crate::mig_parted::{Configuration, configurations};
use crate::shell::{comment, file_part, quoted};
use std::fmt::Write;

const LABEL: &str = "nvidia.com/mig.config";

/// A ConfigMap, and for each node and round a script that sets the label.
pub fn files(course: &Course<'_>) -> Result<Vec<AppliedFile>, String> {
    let configurations = configurations(course)?;
    let mut map = "# The MIG manager reads one ConfigMap only: add the configurations that other nodes name in their label.\n\
         apiVersion: v1\nkind: ConfigMap\nmetadata: {name: migopt-mig-parted, namespace: gpu-operator}\ndata:\n  config.yaml: |\n    \
         version: v1\n    mig-configs:\n"
        .to_owned();
    let mut steps = format!(
        "The plan of {} by labels of the MIG manager, in this order:\n\n  kubectl apply -f configmap.yaml\n  kubectl patch clusterpolicy/cluster-policy \
         --type merge -p '{{\"spec\":{{\"migManager\":{{\"config\":{{\"name\":\"migopt-mig-parted\"}}}}}}}}'\n",
        comment(course.name)
    );
    let mut files = Vec::new();
    for (number, stage) in (1..).zip(&course.stages) {
        let _ = write!(steps, "\nRound {number}\n");
        for configuration in configurations.iter().filter(|known| known.round == number) {
            map += &configuration.yaml("      ");
            let name = format!("round-{number}.{}.sh", file_part(configuration.node)?);
            let _ = writeln!(steps, "  ./{name}");
            files.push(AppliedFile::script(name, script(course, configuration)));
        }
        for step in stage.moves {
            let _ = writeln!(steps, "  {}", handover::words(course, step));
        }
    }
    files.push(AppliedFile::text("configmap.yaml", map));
    files.push(AppliedFile::text("steps.txt", steps));
    Ok(files)
}

fn script(course: &Course<'_>, configuration: &Configuration<'_>) -> String {
    let node = course.lock.nodes.iter().find(|node| node.name == configuration.node);
    let label = node.and_then(|node| node.labels.get(LABEL));
    let back = match label {
        Some(old) => format!("{LABEL}={}", quoted(old)),
        None => format!("{LABEL}-"),
    };
    let quoted_node = quoted(configuration.node);
    let uncordon = match node.is_some_and(|node| node.cordoned) {
        true => "# The node was cordoned before and stays so.".to_owned(),
        false => format!("kubectl uncordon {quoted_node}"),
    };
    format!(
        "#!/bin/sh\n\
         # Round {round}: lays the GPUs of {node} out that change in it. The MIG manager does not drain pods: those on these GPUs have to be\n\
         # gone. It restarts device plugin and DCGM on the node; pods on other GPUs run on.\n\
         {remarks}\
         # To go back: kubectl label node {quoted_node} --overwrite {back}\n\
         set -eu\n\
         kubectl cordon {quoted_node}\n\
         # The state is set with the label, so that an old `success` is not taken for the new one.\n\
         kubectl label node {quoted_node} --overwrite {LABEL}.state=pending {LABEL}={name}\n\
         kubectl wait node {quoted_node} --timeout=15m '--for=jsonpath={{.metadata.labels.nvidia\\.com/mig\\.config\\.state}}=success'\n\
         {uncordon}\n",
        round = configuration.round,
        node = comment(configuration.node),
        remarks = configuration.remarks(course),
        name = quoted(&configuration.name),
    )
}
