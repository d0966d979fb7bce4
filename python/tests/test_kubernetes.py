"""The job that ``migopt bench --submit kubernetes`` writes obeys the schemas of Kubernetes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml
from migopt.binary import find_binary


@pytest.mark.parametrize("version", ["1.33", "1.36"])
def test_the_job_obeys_the_schemas(tmp_path: Path, version: str) -> None:
    sweep = ["bench", "--generate", "wpm:gpus=2,count=2", "--memory-limit", "2", "--output", "sweep"]
    job = "kubernetes:shards=4,claim=disk,image=registry.example/migopt:1,namespace=lab"
    subprocess.run([find_binary(), *sweep, "--submit", job], cwd=tmp_path, check=True, capture_output=True)
    manifest = yaml.safe_load((tmp_path / "sweep" / "sweep.job.yaml").read_text())
    kubernetes_validate.validate(manifest, version, strict=True)
    manifest["spec"]["completion"] = 4
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(manifest, version, strict=True)
