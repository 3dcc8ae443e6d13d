"""The retention file sets terms of single projects; a bad file ends the start in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.memory_upkeep import MemoryUpkeep

from spanloom.core.errors import StartupError
from spanloom.core.model.upkeep import Kind, RetentionPlan, Terms
from spanloom.keeper import DAY_NS, Keeper, Retention, read_plan

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT = Terms(30, 90)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "retention.toml"


def test_a_project_has_what_the_file_says_and_the_default_for_the_rest(file: Path) -> None:
    assert read_plan(file, DEFAULT) == RetentionPlan(DEFAULT)
    file.write_text('[projects.a]\nspans_days = 7\n[projects."b c"]\ntrajectories_days = 0\n')
    plan = read_plan(file, DEFAULT)
    assert plan.projects == {"a": Terms(7, 90), "b c": Terms(30, 0)}
    assert [plan.longest_days(kind) for kind in Kind] == [30, 0, 0]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[projects.a", "retention.toml"),
        ("[project.a]", "'project'"),
        ("[projects.a]\nspan_days = 1", "'span_days' of project 'a'"),
        ("[projects.a]\nspans_days = -1", "spans_days of project 'a'.*-1"),
        ("[projects.a]\nspans_days = true", "spans_days.*True"),
        ("projects = 3", "retention.toml"),
        ("[projects]\na = 3", "retention.toml"),
    ],
)
def test_a_bad_file_ends_the_start_in_one_line(file: Path, text: str, named: str) -> None:
    file.write_text(text)
    with pytest.raises(StartupError, match=named) as error:
        Keeper(MemoryUpkeep(), Retention(DEFAULT, file, 30)).start()
    assert "\n" not in str(error.value)


def test_the_file_counts_while_the_keeper_runs_and_a_slip_changes_nothing(file: Path) -> None:
    upkeep, now_ns = MemoryUpkeep(), [50 * DAY_NS]
    keeper = Keeper(upkeep, Retention(DEFAULT, file, 30), lambda: now_ns[0])
    keeper.start()
    keeper.stop(5)
    keeper.run_once()
    keeper.run_once()
    assert len(upkeep.expirations) == 1
    file.write_text("[projects.a]\nspans_days = 7\n")
    keeper.run_once()
    assert upkeep.plans[-1].projects == {"a": Terms(7, 90)}
    assert len(upkeep.expirations) == 2
    file.write_text("[projects.a]\nspans_days = seven\n")
    keeper.run_once()
    assert (len(upkeep.plans), len(upkeep.expirations)) == (2, 2)
    now_ns[0] += DAY_NS
    keeper.run_once()
    assert len(upkeep.expirations) == 3
