"""Taxonomies: read from their files, each with its source."""

from __future__ import annotations

import pytest

from spanloom.core.annotation.presets import presets
from spanloom.evaluation.taxonomies import taxonomies


def test_names_and_sources() -> None:
    assert list(taxonomies()) == ["agent-reward-bench", "coze-loop", "mast", "potato", "trail"]
    assert all(one.source.startswith("https://") for one in taxonomies().values())


@pytest.mark.parametrize(("name", "count"), [("trail", 21), ("mast", 14), ("potato", 9)])
def test_names_people_mark_by_are_those_of_the_scheme(name: str, count: int) -> None:
    errors, severities = taxonomies()[name].criteria
    scheme = presets()[name]
    assert len(errors.categories) == count
    assert set(errors.categories) == set(errors.groups) == set(errors.definitions)
    assert set(errors.groups.values()) == {kind.name for kind in scheme.error_types}
    assert severities.categories == tuple(one.name for one in scheme.severities)


def test_trail() -> None:
    trail = taxonomies()["trail"]
    assert trail.criteria[1].name == "impact"
    assert trail.last_occurrence == ("Resource Abuse",)
    assert trail.criteria[0].groups["Rate Limiting"] == "System Execution"


def test_agent_reward_bench() -> None:
    criteria = {one.name: one for one in taxonomies()["agent-reward-bench"].criteria}
    assert criteria["trajectory_looping"].categories == ("Yes", "No")
    assert criteria["trajectory_optimality"].categories[-1] == "4. Completely Optimal"
    assert all(set(one.passing) <= set(one.categories) for one in criteria.values())


def test_coze_loop_gives_numbers() -> None:
    assert {one.scale for one in taxonomies()["coze-loop"].criteria} == {(0, 1)}
