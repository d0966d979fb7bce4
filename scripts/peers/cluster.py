"""Boards and clusters as instance files describe them; what generated instances and the shipped ones named in benchmark-peers need."""

import pathlib
from fractions import Fraction

import yaml

BOARDS = pathlib.Path(__file__).resolve().parents[2] / "src" / "mig" / "boards.yaml"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read(path):
    return yaml.load(pathlib.Path(path).read_text(), LOADER)


class Board:
    """The profiles of a board by name, its slots, and limits besides: pairs of what profiles use and what there is."""

    def __init__(self, about):
        self.slots, self.compute = about["slots"], about["compute"]
        self.profiles = {profile["name"]: profile for profile in about["profiles"]}
        profiles = about["profiles"]
        self.limits = [({name: p["compute"] for name, p in self.profiles.items()}, self.compute)]
        self.limits += [({p["name"]: 1}, p["maximum"]) for p in profiles]
        kinds = sorted({kind for p in profiles for kind in p["engines"] or {}})
        whole = [p for p in profiles if p["size"] == self.slots]
        for kind in kinds:
            of = lambda p: (p["engines"] or {}).get(kind) or 0
            self.limits.append(({p["name"]: of(p) for p in profiles}, max(of(p) for p in whole)))

    def waste(self, name, start):
        """Compute slices that an instance blocks without having them, and extra slots that it cuts off."""
        each, profile = self.slots // self.compute, self.profiles[name]
        covered = range(start, start + profile["size"])
        wasted = len({min(slot // each, self.compute - 1) for slot in covered}) - profile["compute"]
        if each * self.compute - 1 in covered:
            beside = [range(s, s + p["size"]) for p in self.profiles.values() for s in p["starts"]]
            beside = [place for place in beside if not set(place) & set(covered)]
            extra = [slot for slot in range(each * self.compute, self.slots) if slot not in covered]
            wasted += sum(not any(slot in place for place in beside) for slot in extra)
        return wasted


def boards():
    return {about["name"]: Board(about) for about in yaml.load(BOARDS.read_text(), LOADER)["boards"] if "profiles" in about}


def machines(instance):
    """Hosts and GPUs outside any host: name, GPUs as pairs of name and board, cores, GiB, weight."""
    found = []
    for host in instance.get("hosts", []):
        names = [f"{host['name']}-{number}" for number in range(host["count"])] if "count" in host else [host["name"]]
        kinds = host["gpus"] if isinstance(host["gpus"], list) else [host["gpus"]]
        gpus = [kind["board"] for kind in kinds for _ in range(kind.get("count", 1))]
        for name in names:
            own = [(f"{name}/{number}", board) for number, board in enumerate(gpus)]
            found.append((name, own, host.get("cpu"), host.get("memory_gib"), host.get("weight", 1)))
    for gpu in instance.get("gpus", []):
        names = [f"{gpu['name']}-{number}" for number in range(gpu["count"])] if "count" in gpu else [gpu["name"]]
        found += [(name, [(name, gpu["board"])], None, None, 1) for name in names]
    return found


def workloads(instance):
    """Each workload with its place, if it runs: a pair of the name of a GPU and a start."""
    found = []
    for about in instance.get("workloads", []):
        current = about.get("current", [])
        current = current if isinstance(current, list) else [current]
        for number in range(about.get("replicas", 1)):
            place = current[number] if number < len(current) else None
            found.append((about, place and (place["gpu"], place["start"])))
    return found


def whole(values):
    """Numbers as whole multiples of the greatest unit, and the unit."""
    from math import gcd, lcm

    exact = [Fraction(str(value)) for value in values]
    scale = lcm(1, *(value.denominator for value in exact))
    scaled = [int(value * scale) for value in exact]
    unit = gcd(*scaled) or 1
    return [value // unit for value in scaled], Fraction(unit, scale)
