"""migopt's documents as they are in JSON: solutions, and the questions that a heuristic reads.

`migopt schema solution` and `migopt schema question --model MODEL` say what each field means; the tests compare the keys.
Amounts are ``int`` where whole, else ``Decimal``, and strings where a JSON number would round (``exact.amount`` reads all).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Dict, List, Mapping, Optional, TypedDict, Union

Number = Union[int, Decimal, str]
"""An amount in a document."""


class _InstanceReference(TypedDict):
    name: str


class InstanceReference(_InstanceReference, total=False):
    """Which instance a document belongs to."""

    fingerprint: Optional[str]


class Spot(TypedDict):
    """A place on a GPU."""

    gpu: str
    start: int


# Solutions.


_Details = TypedDict(
    "_Details",
    {"profile": Optional[str], "size": Optional[int], "wasted": int, "pinned": bool, "from": Optional[Spot]},
    total=False,
)


class _PlacedWorkload(TypedDict):
    workload: str
    gpu: str
    start: int


class PlacedWorkload(_PlacedWorkload, _Details, total=False):
    """A workload and its place on a GPU."""

    change: Optional[str]
    count: Optional[int]
    every: Optional[int]


class _PendingWorkload(TypedDict):
    workload: str


class PendingWorkload(_PendingWorkload, _Details, total=False):
    """A workload without a place."""

    count: Optional[int]


class _PackedServer(TypedDict):
    server: str
    vms: List[str]


class PackedServer(_PackedServer, total=False):
    """A server and the virtual machines on it."""

    load: Optional[Mapping[str, object]]


PlannedRetraining = TypedDict("PlannedRetraining", {"instance": str, "from": int, "until": int})
"""When and on what a model is retrained."""

PlannedRun = TypedDict("PlannedRun", {"from": int, "until": int, "instances": List[str]})
"""A run of slots in which an inference task has the same GPU instances."""


class _PlannedTask(TypedDict):
    model: str
    inference: List[PlannedRun]


class PlannedTask(_PlannedTask, total=False):
    """What happens to a model."""

    retraining: Optional[PlannedRetraining]
    series: Optional[Mapping[str, List[Number]]]


class _Plan(TypedDict):
    tasks: List[PlannedTask]


class Plan(_Plan, total=False):
    """What happens on a GPU during a window of time."""

    window: Optional[Mapping[str, object]]
    instances: List[Mapping[str, object]]
    changes: List[Mapping[str, object]]


class _Solution(TypedDict):
    instance: InstanceReference


class Solution(_Solution, total=False):
    """A solution: ``placement`` (wpm, siavashi), ``packing`` (sharing) or ``plan`` (migrator)."""

    model: Optional[str]
    reading: Optional[str]
    placement: Optional[List[PlacedWorkload]]
    packing: Optional[List[PackedServer]]
    plan: Optional[Plan]
    pending: List[PendingWorkload]
    repartitioned: Optional[List[str]]
    gpus: List[Mapping[str, object]]
    score: Optional[Mapping[str, object]]


# Questions.


class _Question(TypedDict):
    model: str
    instance: InstanceReference
    seed: int


class Profile(TypedDict):
    """Geometry of a profile."""

    size: int
    compute: int
    starts: List[int]


class Limit(TypedDict):
    """What all instances on one board together may not exceed, beside the slots."""

    name: str
    capacity: int
    usage: Dict[str, int]


class Board(TypedDict):
    """Geometry of a board."""

    slots: int
    compute: int
    profiles: Dict[str, Profile]
    limits: List[Limit]


class PricedBoard(Board):
    """Geometry and costs of a board (wpm)."""

    gpu_cost: Number
    repartition_cost: Number
    waste_cost: Number


class Gpu(TypedDict):
    """A GPU."""

    name: str
    board: str


class _Maintenance(TypedDict, total=False):
    maintenance: str


class WpmGpu(Gpu, _Maintenance):
    """A GPU and what may happen to it."""

    role: str


class _Workload(TypedDict):
    name: str
    profiles: Dict[str, str]


class _CurrentSpot(TypedDict, total=False):
    current: Optional[Spot]


class WpmWorkload(_Workload, _CurrentSpot):
    """A workload of model wpm."""

    role: str
    reward: Number
    migration_cost: Number


class WpmQuestion(_Question):
    """The question of model wpm."""

    use_case: str
    reading: str
    place_all: bool
    boards: Dict[str, PricedBoard]
    gpus: List[WpmGpu]
    workloads: List[WpmWorkload]


class _Bound(TypedDict, total=False):
    nodes: Optional[List[str]]
    groups: List[str]


class SiavashiWorkload(_Workload, _CurrentSpot, _Bound):
    """A virtual machine of model siavashi."""

    pinned: bool
    cpu: Number
    memory_gib: Number
    acceptance_weight: Number
    migration_weight: Number


class SiavashiGpu(Gpu, _Maintenance):
    """A GPU, and whether workloads may start there."""


class _Machine(TypedDict):
    name: str
    gpus: List[SiavashiGpu]
    weight: Number
    gpu_weight: Number


class Machine(_Machine, total=False):
    """A machine of model siavashi; without limits where ``cpu`` or ``memory_gib`` is absent."""

    cpu: Optional[Number]
    memory_gib: Optional[Number]
    max_disrupted: Optional[int]


class _Group(TypedDict):
    name: str


class Group(_Group, total=False):
    """Workloads that keep apart, or belong together: on a ``"node"`` or a ``"gpu"``."""

    apart: Optional[str]
    together: Optional[str]
    as_one: bool


class _SiavashiRules(TypedDict, total=False):
    max_migrations: Optional[int]
    max_disrupted: Optional[int]
    groups: List[Group]


class SiavashiQuestion(_Question, _SiavashiRules):
    """The question of model siavashi."""

    objective: str
    residents: str
    active_gpus: str
    migration_costs: Dict[str, Number]
    boards: Dict[str, Board]
    machines: List[Machine]
    workloads: List[SiavashiWorkload]


class Server(TypedDict):
    """A server of model sharing."""

    name: str
    group: str
    pages: int
    capacity: Dict[str, Number]
    cost: Number


class VirtualMachine(TypedDict):
    """A virtual machine of model sharing."""

    name: str
    pages: int
    private_pages: int
    request: Dict[str, Number]


class PageClass(TypedDict):
    """Pages that the same virtual machines have in common."""

    pages: int
    vms: List[str]


class SharingQuestion(_Question):
    """The question of model sharing."""

    optimum: str
    page_kib: int
    servers: List[Server]
    vms: List[VirtualMachine]
    page_classes: List[PageClass]
    arrival: List[str]


class _ServedModel(TypedDict):
    name: str
    capability: List[Number]
    requests: List[Number]
    accuracy_before: Number
    accuracy_after: Number
    retraining_slots: Dict[str, int]
    reconfiguration_seconds: Number
    minimum_instance: str


class ServedModel(_ServedModel, total=False):
    """A model that serves requests and is retrained."""

    first_allocation: Optional[List[str]]
    gflops: Optional[Number]


class MigratorQuestion(_Question):
    """The question of model migrator."""

    board: str
    slots: int
    basis_seconds: Number
    sizes: List[str]
    gpcs: List[int]
    configurations: List[List[int]]
    readings: Dict[str, str]
    models: List[ServedModel]


Question = Union[WpmQuestion, SiavashiQuestion, SharingQuestion, MigratorQuestion]
"""A question of any model; ``question["model"]`` says of which."""
