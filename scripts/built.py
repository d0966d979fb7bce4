"""The program that scripts run."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def program():
    """The program, built for release if need be, or the one that MIGOPT_BINARY names."""
    if "MIGOPT_BINARY" in os.environ:
        return os.environ["MIGOPT_BINARY"]
    subprocess.run([ROOT / "scripts" / "migopt", "--version"], check=True, stdout=subprocess.DEVNULL)
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "migopt"
