"""Best fit against proved optima: python -m pytest python/examples"""

import pathlib

import migopt
import pytest
from best_fit import best_fit

INSTANCES = pathlib.Path(__file__).parents[2] / "instances" / "wpm"
TWO_NEWCOMERS = """
name: two-newcomers
gpus: [{name: gpu, board: A100-80GB, count: 2}]
workloads:
  - {name: runs, profile: 3g.40gb, current: {gpu: gpu-1, start: 4}}
  - {name: small, profile: 1g.10gb}
  - {name: large, profile: 2g.20gb}
"""


def answer(instance):
    question = migopt.question(instance, model="wpm")
    return migopt.placement(question, best_fit(question))


def test_it_is_optimal_where_there_is_nothing_to_gain_by_moving():
    migopt.assert_optimal(TWO_NEWCOMERS, answer(TWO_NEWCOMERS))


def test_it_is_within_a_fifth_on_a_cluster_of_eight_gpus():
    instance = INSTANCES / "eight-gpus.yaml"
    migopt.assert_gap_at_most(instance, answer(instance), 0.2)


@migopt.over_corpus("wpm")
def test_it_obeys_the_rules_and_never_beats_the_optimum(truth):
    if truth.instance.get("wpm", {}).get("place_all"):
        pytest.skip("best fit does not promise to place all")
    gap = migopt.gap(truth.instance, answer(truth.instance))
    assert gap >= 0
    assert gap.stage is None or truth.values[gap.stage] == gap.optimum


def test_a_gap_that_is_too_large_is_shown_beside_an_optimum():
    instance = INSTANCES / "compaction.yaml"
    with pytest.raises(AssertionError, match="an optimal solution"):
        migopt.assert_optimal(instance, answer(instance))
