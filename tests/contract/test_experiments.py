"""Experiments start once and judge all runs in spite of failures; their results are scores."""

from __future__ import annotations

from dataclasses import replace
from threading import Barrier
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.contract.test_deletions import deletion
from tests.support.annotated_runs import store_run, tool_step
from tests.support.trajectory_records import model_step

from spanloom.core.errors import InvalidQueryError, StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.model.experiment import BEFORE_ALL_RESULTS
from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.model.upkeep import DeletionScope
from spanloom.datasets.service import Datasets, ItemPage
from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluators.service import Evaluators, UnknownEvaluatorError
from spanloom.experiments import trials, work
from spanloom.experiments.judging import run_concurrently
from spanloom.experiments.request import ExperimentRequest
from spanloom.experiments.results import Results, compare_results
from spanloom.experiments.runner import ExperimentRunner
from spanloom.experiments.service import (
    ExperimentRefusedError,
    Experiments,
    UnknownExperimentError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.experiment import Experiment
    from spanloom.core.ports.store import Store
    from spanloom.experiments.service import ListedExperiment
    from spanloom.experiments.trials import Trial

SET = "trips"
PATH = {"name": "path", "kind": "match", "mode": "superset"}
PYTHON = {"kind": "python", "file": "/etc/passwd"}
LIMITS = {"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 2}}


@pytest.fixture
def project(new_project: Callable[[], str]) -> str:
    return new_project()


@pytest.fixture
def evaluators(store: Store) -> Evaluators:
    return Evaluators(store.evaluators)


@pytest.fixture
def datasets(store: Store) -> Datasets:
    return Datasets(store.datasets)


@pytest.fixture
def experiments(store: Store, datasets: Datasets, evaluators: Evaluators) -> Experiments:
    return Experiments(store.experiments, store.runs, datasets, evaluators)


class Mine(ExperimentRunner):
    """A runner of the experiments of one project only, because tests share a store."""

    def __init__(self, store: Store, project: str) -> None:
        super().__init__(store)
        self._running = store.experiments.running
        self.project = project

    def run_once(self) -> int:
        mine = self._running(Reach.only(self.project))
        return sum(self._do_piece(one) for one in mine)

    def finish(self) -> None:
        """Judge until no experiment of the project is running."""
        while self._running(Reach.only(self.project)):
            self.run_once()


@pytest.fixture
def runner(store: Store, project: str) -> Mine:
    return Mine(store, project)


def trace(project: str, number: int) -> TraceKey:
    return TraceKey(project, f"{project.encode().hex():0>28}"[-28:] + f"{number:04x}")


def store_runs(store: Store, project: str, tools: Sequence[int]) -> Sequence[TraceKey]:
    """Store one run for each number in ``tools``, with that many tool calls."""
    keys = [trace(project, number) for number in range(len(tools))]
    for key, calls in zip(keys, tools, strict=True):
        store_run(store, key, [model_step(9), *(tool_step(n + 2) for n in range(calls))])
    return keys


def fill(datasets: Datasets, project: str, *items: dict[str, Any]) -> None:
    datasets.put(project, SET, None, None, "ada")
    datasets.add(project, SET, list(items))
    datasets.commit(project, SET, "ada")


def item(key: TraceKey, name: str = "", **members: Any) -> dict[str, Any]:
    source = {"trace_id": key.trace_id, "project": key.project}
    return {"item_key": name or key.trace_id, "input": "?", "source": source, **members}


def request(**members: Any) -> ExperimentRequest:
    return ExperimentRequest.model_validate({"evaluators": [LIMITS], **members})


def results(store: Store, kept: ListedExperiment, reader: str = "") -> Results:
    return Results(store.experiments, store.queues, kept, reader)


def rows_of(store: Store, kept: ListedExperiment) -> list[tuple[str, int, str, Any]]:
    """Return item, repeat, score name, and error code or outcome, of each result."""
    return [
        (row["item"], row["repeat"], row["name"], row["error_code"] or row["passed"])
        for row in results(store, kept).rows()
    ]


def test_items_are_judged_by_their_stored_runs(
    store: Store, project: str, datasets: Datasets, experiments: Experiments, runner: Mine
) -> None:
    a, b = store_runs(store, project, [1, 3])
    gone = trace(project, 77)
    calls = {"tool_calls": [{"name": "tool_2", "arguments": {"q": "question 2"}}]}
    fill(
        datasets,
        project,
        item(a, "a", expected=calls),
        item(b, "b", expected={"tool_calls": [{"name": "nothing"}]}),
        item(gone, "c"),
        {"item_key": "d", "input": "?"},
        item(TraceKey("elsewhere", a.trace_id), "e"),
    )
    kept = experiments.start(project, "x", request(dataset=SET, evaluators=[PATH, LIMITS]), "ada")
    assert (kept.status, kept.total, kept.counts.done) == ("running", 5, 0)
    assert (kept.experiment.dataset_version, kept.experiment.started_by) == (1, "ada")
    runner.finish()
    kept = experiments.get(project, "x")
    assert (kept.status, kept.total, *kept.counts) == ("done", 5, 5, 3)
    found = {(item, score): passed for item, _, score, passed in rows_of(store, kept)}
    assert found["a", "limits/max_tool_calls"] is True
    assert found["b", "limits/max_tool_calls"] is False
    for key in "cde":
        assert found[key, "path"] == found[key, "limits/max_tool_calls"] == "missing_run"
    summary = results(store, kept).summary()
    assert summary["limits/max_tool_calls"] == {
        "n": 5,
        "ok": 2,
        "na": 0,
        "error": 3,
        "skipped": 0,
        "passed": 1,
        "pass_rate": 0.5,
        "mean": summary["limits/max_tool_calls"]["mean"],
        **{k: summary["limits/max_tool_calls"][k] for k in ("low", "high")},
    }
    scores = store.scores.of_traces([a])
    assert {(s.experiment, s.item, s.repeat, s.judged_version) for s in scores} == {
        ("x", "a", 0, 1)
    }


def test_runs_are_chosen_once(
    store: Store, project: str, experiments: Experiments, runner: Mine
) -> None:
    keys = store_runs(store, project, [1, 3, 1])
    wanted = request(runs={"where": "model_steps < 4"}, repeats=2)
    kept = experiments.start(project, "x", wanted, "")
    late = trace(project, 50)
    store_run(store, late, [tool_step(2)])
    assert experiments.start(project, "x", wanted, "bo") == kept
    runner.finish()
    kept = experiments.get(project, "x")
    assert (kept.status, kept.total, *kept.counts) == ("done", 4, 4, 0)
    tries = [(item, repeat) for item, repeat, *_ in rows_of(store, kept)]
    assert tries == [
        (key.trace_id, repeat) for key in sorted([keys[0], keys[2]]) for repeat in (0, 1)
    ]


def test_another_request_is_refused(store: Store, project: str, experiments: Experiments) -> None:
    store_runs(store, project, [1])
    experiments.start(project, "x", request(runs={}), "")
    with pytest.raises(ExperimentRefusedError, match="another name"):
        experiments.start(project, "x", request(runs={}, repeats=2), "")
    same = request(runs={"where": ""}, repeats=1)
    assert experiments.start(project, "x", same, "").experiment.started_by == ""


@pytest.mark.parametrize(
    ("members", "error", "place"),
    [
        ({"dataset": "none"}, InvalidQueryError, "dataset"),
        ({"dataset": f"{SET}@9"}, InvalidQueryError, "no version 9"),
        ({"dataset": "@1"}, InvalidQueryError, "NAME@VERSION"),
        ({"runs": {"where": "durtion > 3"}}, InvalidQueryError, "runs.where"),
        ({"runs": {"since": "soon"}}, InvalidQueryError, "runs.since"),
        ({"runs": {}, "evaluators": ["none"]}, InvalidEvaluatorError, "no evaluator"),
        (
            {"runs": {}, "evaluators": [{"kind": "python", "file": "/etc/passwd"}]},
            InvalidEvaluatorError,
            "code",
        ),
        ({"runs": {}, "evaluators": [PATH, PATH]}, InvalidEvaluatorError, "two evaluators"),
        ({"dataset": SET, "repeats": 1_000}, InvalidQueryError, "too many"),
    ],
)
def test_what_cannot_be_judged_is_refused(
    project: str,
    datasets: Datasets,
    experiments: Experiments,
    members: dict[str, Any],
    error: type[Exception],
    place: str,
) -> None:
    fill(datasets, project, *({"item_key": str(n)} for n in range(101)))
    with pytest.raises(error, match=place):
        experiments.start(project, "x", request(**members), "")
    with pytest.raises(UnknownExperimentError):
        experiments.get(project, "x")


def test_evaluators_come_from_the_dataset_or_by_name(
    project: str, datasets: Datasets, evaluators: Evaluators, experiments: Experiments
) -> None:
    fill(datasets, project, {"item_key": "a"})
    with pytest.raises(InvalidQueryError, match="has none"):
        experiments.start(project, "x", request(dataset=SET, evaluators=None), "")
    datasets.put(project, SET, None, [PATH], "")
    kept = experiments.start(project, "x", request(dataset=SET, evaluators=None), "")
    assert orjson.loads(kept.experiment.evaluators)[0]["config"] == PATH
    evaluators.put(project, "few", {"kind": "rules", "rules": {"max_steps": 3}}, "ada")
    evaluators.put(project, "few", {"kind": "rules", "rules": {"max_steps": 4}}, "ada")
    names = ["few@1", "few", PATH]
    with pytest.raises(InvalidEvaluatorError, match="two evaluators"):
        experiments.start(project, "y", request(dataset=SET, evaluators=names), "")
    kept = experiments.start(project, "y", request(dataset=SET, evaluators=names[1:]), "")
    first, second = orjson.loads(kept.experiment.evaluators)
    assert (first["stored_version"], first["config"]["rules"]) == (2, {"max_steps": 4})
    assert second["stored_version"] == 0


def test_a_changed_evaluator_is_a_new_version(project: str, evaluators: Evaluators) -> None:
    given = {"kind": "rules", "rules": {"max_steps": 3}}
    first = evaluators.put(project, "few", given, "ada")
    assert evaluators.put(project, "few", {**given, "name": "few"}, "bo") == first
    second = evaluators.put(project, "few", {"kind": "rules", "rules": {"max_steps": 4}}, "bo")
    assert [(v.version, v.put_by) for v in second.versions] == [(1, "ada"), (2, "bo")]
    assert second.config == {"name": "few", "kind": "rules", "rules": {"max_steps": 4}}
    assert evaluators.put(project, "few", given, "cy").versions[-1].version == 3
    assert [one.name for one in evaluators.listed(project)] == ["few"]
    for wrong in ({**given, "name": "other"}, [given], {"kind": "python", "file": "x.py"}):
        with pytest.raises(InvalidEvaluatorError):
            evaluators.put(project, "few", wrong, "")
    with pytest.raises(UnknownEvaluatorError):
        evaluators.get(project, "other")


def test_it_goes_on_behind_what_is_stored(
    store: Store, project: str, experiments: Experiments, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "MOST_TRIALS", 2)
    monkeypatch.setattr(trials, "PAGE", 3)
    keys = store_runs(store, project, [1, 3, 1, 3, 1])
    experiments.start(project, "x", request(runs={}, repeats=2), "")
    seen: list[str] = []

    class Counting(Mine):
        def _begun(self, experiment: Experiment) -> Any:
            made = super()._begun(experiment)
            judge = made._judge.judge

            def count(trial: Trial) -> Any:
                seen.append(str(trial))
                return judge(trial)

            monkeypatch.setattr(made._judge, "judge", count)
            return made

    for _ in range(3):  # each runner stops after one piece of work
        Counting(store, project).run_once()
    assert experiments.get(project, "x").counts == (6, 0)
    Counting(store, project).finish()
    kept = experiments.get(project, "x")
    assert (kept.status, *kept.counts) == ("done", 10, 0)
    assert len(seen) == len(set(seen)) == 10
    assert len(rows_of(store, kept)) == 10
    assert len(store.scores.of_traces(keys)) == 10


def test_an_outage_on_the_way_loses_nothing(
    store: Store,
    project: str,
    experiments: Experiments,
    runner: Mine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(work, "MOST_TRIALS", 2)
    store_runs(store, project, [1, 3, 1, 3])
    experiments.start(project, "x", request(runs={}), "")
    runner.run_once()

    class Away:
        def add(self, _scores: object) -> None:
            raise StoreUnavailableError("away")

    runner._works[next(iter(runner._works))]._scores = Away()  # type: ignore[assignment]
    with pytest.raises(StoreUnavailableError):
        runner.run_once()
    runner.finish()
    kept = experiments.get(project, "x")
    assert (kept.status, *kept.counts, len(rows_of(store, kept))) == ("done", 4, 0, 4)


def test_a_cancelled_one_stays_as_it_is(
    store: Store,
    project: str,
    experiments: Experiments,
    runner: Mine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(work, "MOST_TRIALS", 1)
    store_runs(store, project, [1, 3])
    experiments.start(project, "x", request(runs={}), "")
    runner.run_once()
    kept = experiments.cancel(project, "x")
    assert (kept.status, *kept.counts) == ("cancelled", 1, 0)
    runner.finish()
    runner.run_once()
    assert experiments.cancel(project, "x") == kept == experiments.get(project, "x")


def test_one_that_cannot_go_on_fails_alone(
    store: Store,
    project: str,
    experiments: Experiments,
    runner: Mine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store_runs(store, project, [1])
    for name in ("x", "y"):
        experiments.start(project, name, request(runs={}), "")
    begun = runner._begun

    def fail(experiment: Experiment) -> Any:
        if experiment.name == "x":
            raise KeyError("oh")
        return begun(experiment)

    monkeypatch.setattr(runner, "_begun", fail)
    runner.finish()
    x, y = experiments.listed(project)
    assert (x.status, x.end and x.end.reason) == ("failed", "KeyError: 'oh'")
    assert (y.status, *y.counts) == ("done", 1, 0)


def test_the_same_input_gives_the_same_bytes(
    store: Store, project: str, datasets: Datasets, experiments: Experiments, runner: Mine
) -> None:
    keys = store_runs(store, project, [1, 3, 2, 5, 1, 3])
    fill(datasets, project, *(item(key) for key in keys))
    for name in ("x", "y"):
        experiments.start(project, name, request(dataset=SET, repeats=2), "")
    runner.finish()
    x, y = (results(store, experiments.get(project, name)) for name in ("x", "y"))
    assert orjson.dumps(list(x.rows())) == orjson.dumps(list(y.rows()))
    compared = compare_results(x, y).model_dump(mode="json")
    assert (compared["common"], compared["only_a"], compared["only_b"]) == (6, [], [])
    assert {row["verdict"] for row in compared["scores"]} == {"no_difference_shown"}
    assert compare_results(x, y).model_dump_json() == compare_results(x, y).model_dump_json()


def test_results_come_in_pages(
    store: Store, project: str, experiments: Experiments, runner: Mine
) -> None:
    store_runs(store, project, [1, 3, 2])
    experiments.start(project, "x", request(runs={}, evaluators=[PATH, LIMITS], repeats=2), "")
    runner.finish()
    read = results(store, experiments.get(project, "x"))
    whole = list(read.rows())
    paged: list[Any] = []
    page, after = read.page(5, BEFORE_ALL_RESULTS)
    while True:
        paged += page
        if after is None:
            break
        page, after = read.page(5, after)
    assert paged == whole
    assert len(whole) == 12


def test_results_of_a_deleted_run_go(
    store: Store, project: str, experiments: Experiments, runner: Mine
) -> None:
    a, b = store_runs(store, project, [1, 3])
    experiments.start(project, "x", request(runs={}), "")
    runner.finish()
    store.deletions.delete(deletion(DeletionScope(Reach.only(project), trace_id=a.trace_id)))
    kept = experiments.get(project, "x")
    assert (kept.total, *kept.counts) == (2, 1, 0)
    assert [row["trace_id"] for row in results(store, kept).rows()] == [b.trace_id]
    assert experiments.listed(project) == [kept]


def test_sent_scores_are_an_experiment(
    store: Store, project: str, experiments: Experiments, runner: Mine
) -> None:
    store_runs(store, project, [1])
    experiments.start(project, "x", request(runs={}), "")
    runner.finish()
    sent = store.experiments.results(project, "x", 10)
    store.scores.add([replace(score, experiment="sent") for score in sent])
    kept = experiments.get(project, "sent")
    assert (kept.status, kept.total, *kept.counts) == ("done", 1, 1, 0)
    assert [one.experiment.name for one in experiments.listed(project)] == ["sent", "x"]
    assert [row["kind"] for row in results(store, kept).rows()] == [""]
    with pytest.raises(ExperimentRefusedError, match="were sent"):
        experiments.start(project, "sent", request(runs={}), "")


def test_projects_see_nothing_of_each_other(
    store: Store,
    project: str,
    new_project: Callable[[], str],
    experiments: Experiments,
    runner: Mine,
) -> None:
    other = new_project()
    store_runs(store, project, [1])
    store_runs(store, other, [3])
    experiments.start(project, "x", request(runs={}), "")
    runner.finish()
    with pytest.raises(UnknownExperimentError):
        experiments.get(other, "x")
    assert experiments.listed(other) == []
    kept = experiments.start(other, "x", request(runs={}), "")
    assert (kept.status, *kept.counts) == ("running", 0, 0)
    Mine(store, other).finish()
    (row,) = results(store, experiments.get(other, "x")).rows()
    assert (row["project"], row["passed"]) == (other, False)


def test_one_whose_dataset_was_removed_fails(
    store: Store,
    project: str,
    datasets: Datasets,
    experiments: Experiments,
    runner: Mine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The experiment fails once the keeper has removed the items of its deleted dataset."""
    (key,) = store_runs(store, project, [1])
    fill(datasets, project, item(key, "a"), item(key, "b"))
    experiments.start(project, "x", request(dataset=SET), "ada")
    monkeypatch.setattr(runner._datasets, "page", lambda *_: ItemPage([], None))
    runner.finish()
    kept = experiments.get(project, "x")
    assert (kept.status, kept.counts.done) == ("failed", 0)
    assert kept.end is not None
    assert "deleted" in kept.end.reason


def test_trials_of_a_judge_wait_side_by_side() -> None:
    together = Barrier(4)

    def judge(number: int) -> list[Score]:
        together.wait(30)
        return [Score(TraceKey("p", f"{number}"), "n", "llm", "j", 1)] * number

    found = run_concurrently(judge, [0, 1, 2, 3])
    assert [score.key.trace_id for score in found] == [*"122333"]

    def fail(number: int) -> list[Score]:
        raise StoreUnavailableError(f"away {number}")

    with pytest.raises(StoreUnavailableError):
        run_concurrently(fail, [1])
