"""The types of documents have the keys that migopt's own schemas have."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import migopt
import pytest
from migopt import documents
from migopt.settings import SolveSettings


def schema(*arguments: str) -> dict[str, Any]:
    printed = subprocess.run([migopt.find_binary(), "schema", *arguments], capture_output=True, text=True, check=True)
    read = json.loads(printed.stdout)
    assert isinstance(read, dict)
    return read


def assert_same_keys(kind: Any, definition: dict[str, Any]) -> None:
    required = set(definition.get("required", []))
    assert set(kind.__required_keys__) == required, kind
    assert set(kind.__optional_keys__) == set(definition["properties"]) - required, kind


QUESTIONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "wpm": (
        documents.WpmQuestion,
        {
            "QuestionBoard": documents.PricedBoard,
            "QuestionGpu": documents.WpmGpu,
            "QuestionLimit": documents.Limit,
            "QuestionProfile": documents.Profile,
            "QuestionWorkload": documents.WpmWorkload,
            "Spot": documents.Spot,
        },
    ),
    "siavashi": (
        documents.SiavashiQuestion,
        {
            "QuestionBoard": documents.Board,
            "GroupSection": documents.Group,
            "QuestionGpu": documents.SiavashiGpu,
            "QuestionMachine": documents.Machine,
            "QuestionWorkload": documents.SiavashiWorkload,
        },
    ),
    "sharing": (
        documents.SharingQuestion,
        {
            "QuestionServer": documents.Server,
            "QuestionVm": documents.VirtualMachine,
            "QuestionPageClass": documents.PageClass,
        },
    ),
    "migrator": (documents.MigratorQuestion, {"QuestionModel": documents.ServedModel}),
}


@pytest.mark.parametrize("model", QUESTIONS)
def test_questions_have_the_keys_of_their_schema(model: str) -> None:
    of_model = schema("question", "--model", model)
    question, parts = QUESTIONS[model]
    assert_same_keys(question, of_model)
    for name, kind in parts.items():
        assert_same_keys(kind, of_model["$defs"][name])


def test_solutions_have_the_keys_of_their_schema() -> None:
    of_solutions = schema("solution")
    assert_same_keys(documents.Solution, of_solutions)
    parts = {
        "InstanceReference": documents.InstanceReference,
        "PlacedWorkload": documents.PlacedWorkload,
        "PendingWorkload": documents.PendingWorkload,
        "PackedServer": documents.PackedServer,
        "PlanDocument": documents.Plan,
        "PlannedTask": documents.PlannedTask,
        "PlannedRun": documents.PlannedRun,
        "PlannedRetraining": documents.PlannedRetraining,
    }
    for name, kind in parts.items():
        assert_same_keys(kind, of_solutions["$defs"][name])


def test_settings_are_those_of_a_request() -> None:
    beside = {"instance", "id", "task", "model", "solution", "heuristic"}
    assert set(SolveSettings.__annotations__) == set(schema("request")["properties"]) - beside
