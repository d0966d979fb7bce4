"""The corpus, whose optima are proved by several methods, against the oracle."""

from __future__ import annotations

import migopt
import pytest
from migopt import Oracle, Truth

MODELS = ["wpm", "siavashi", "migrator", "sharing"]


def assert_oracle_knows(oracle: Oracle, truth: Truth) -> None:
    result = oracle.answer(truth.instance, model=truth.model)
    assert result.is_infeasible == truth.infeasible
    assert result.values == truth.values
    assert [(stage.name, stage.sense) for stage in result.stages] == [(stage.name, stage.sense) for stage in truth.stages]


@migopt.over_corpus("wpm")
def test_wpm(truth: Truth, migopt_oracle: Oracle) -> None:
    assert_oracle_knows(migopt_oracle, truth)


@migopt.over_corpus("siavashi")
def test_siavashi(truth: Truth, migopt_oracle: Oracle) -> None:
    assert_oracle_knows(migopt_oracle, truth)


@migopt.over_corpus("migrator")
def test_migrator(truth: Truth, migopt_oracle: Oracle) -> None:
    assert_oracle_knows(migopt_oracle, truth)


@migopt.over_corpus("sharing", argument="known")
def test_sharing(known: Truth, migopt_oracle: Oracle) -> None:
    assert_oracle_knows(migopt_oracle, known)


@pytest.mark.parametrize("model", MODELS)
def test_families_choose(model: str) -> None:
    everything = migopt.corpus(model)
    assert everything and all(truth.model == model for truth in everything)
    family = everything[-1].family
    chosen = migopt.corpus(model, families=[family])
    assert chosen == [truth for truth in everything if truth.family == family]
    with pytest.raises(migopt.BadInput, match=f"has no family no-such; it has .*{family}"):
        migopt.corpus(model, families=["no-such", family])


def test_who_changes_an_instance_changes_no_other_test() -> None:
    migopt.corpus("wpm")[0].instance.clear()
    assert migopt.corpus("wpm")[0].instance


def test_a_model_without_corpus_is_bad_input() -> None:
    with pytest.raises(migopt.BadInput, match="no-such-model"):
        migopt.corpus("no-such-model")
