"""Stored runs for an evaluation: pages, documents read ahead, and results sent as scores."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support.evaluations import config_of
from tests.support.stub_kinds import stub_kinds

from spanloom.client import ApiError
from spanloom.client.calls.lists import trajectories
from spanloom.client.evaluating import stored
from spanloom.client.evaluating.sending import rows_of
from spanloom.client.evaluating.stored import RunPlace, runs_at, stored_runs
from spanloom.client.transfer.score_rows import list_all
from spanloom.client.transfer.scores import ServiceScores, send_scores
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.files.judging import Judgement, RunToJudge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.unit.client.conftest import World

    from spanloom import Client
    from spanloom.client.evaluating.given import Given


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with stub_kinds():
        yield


def numbers(found: Iterator[Given]) -> list[int]:
    runs = [given.run for given in found]
    assert all(isinstance(run, RunToJudge) and run.project == "p" for run in runs)
    return [int(run.trace_id, 16) for run in runs if isinstance(run, RunToJudge)]


def test_all_runs_of_a_list_are_read_in_its_order(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "PAGE_RUNS", 7)
    for number in range(1, 31):
        world.write(number)
    found = numbers(stored_runs(client, trajectories(project="p")))
    assert found == list(range(30, 0, -1))
    assert numbers(stored_runs(client, trajectories(limit=9))) == found[:9]
    shares = [given.share for given in stored_runs(client, trajectories(limit=2))]
    assert shares == [0.5, 1.0]


def test_runs_that_are_gone_are_left_out(world: World) -> None:
    for number in (1, 3):
        world.write(number)
    places = [RunPlace(f"{number:032x}", None) for number in range(1, 5)]
    assert numbers(runs_at(world.async_client, places)) == [1, 3]


def test_what_is_on_its_way_is_given_up(world: World) -> None:
    for number in range(1, 31):
        world.write(number)
    places = [RunPlace(f"{number:032x}", "p") for number in range(1, 31)]
    with closing(runs_at(world.async_client, places)) as runs:
        assert next(runs).share == 1 / 30


def test_what_the_service_refuses_is_raised(client: Client) -> None:
    with pytest.raises(ApiError):
        list(stored_runs(client, trajectories("durtion > 1")))


def test_results_are_scores_of_an_experiment_and_sent_again_no_new_ones(
    world: World, client: Client
) -> None:
    config = config_of(
        {"name": "good", "kind": "stub", "at_least": 0.5, "also": ["x"]},
        {"name": "same", "kind": "stub"},
    )
    world.write(1)
    judgement = Judgement(config.evaluators, has_fingerprints=True)
    for given in stored_runs(client, trajectories()):
        assert isinstance(given.run, RunToJudge)
        given.run.document["root_step"]["output"] = json.dumps({"score": 0.25})
        judgement.take(given.run)
    judgement.refuse("gone", ErrorCode.MISSING_RUN, "no run")
    for _ in range(2):
        rows = rows_of(judgement.rows(), config.evaluators, "trips")
        done = send_scores(ServiceScores(client), rows)
        assert (done.stored, done.refused, done.waiting) == (6, [], 0)
    found = {(one["item"], one["name"]): one for one in list_all(client)}
    assert len(found) == 6
    score = found[f"{1:032x}", "good/x"]
    assert {name: score[name] for name in ("source", "author", "experiment", "target")} == {
        "source": "rule",
        "author": "good",
        "experiment": "trips",
        "target": "trajectory",
    }
    assert score["view_fingerprint"].startswith("1:")
    assert not found["gone", "good"]["view_fingerprint"]
    assert (score["value"], score["passed"], score["judged_version"]) == (0.25, False, 1)
    assert score["evidence"] == [{"step_id": f"{1:016x}", "field": "output"}]
    missing = found["gone", "good"]
    assert (missing["target"], missing["status"], missing["error_code"]) == (
        *("item", "error", "missing_run"),
    )
