"""The run of an agent in a test: its trajectories, and methods that judge them."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import pytest

from spanloom.core.document import Document
from spanloom.core.exchange.otlp import Traces
from spanloom.evaluation.evaluate import judge
from spanloom.evaluation.making import MAX_NAME, make_evaluators
from spanloom.evaluation.subject.subject import Subject
from spanloom.testing.failing import failed_results, failure_text, names_of
from spanloom.testing.goldens import Golden
from spanloom.testing.judges import MissingModelError, find_judge, why_no_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.evaluation.contract.result import Result
    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.testing.blocks import Block
    from spanloom.testing.records import Recorder


class Place(NamedTuple):
    """The folder of a test, and whether goldens may be written there."""

    folder: Path
    is_update: bool
    evaluators: Path | None = None
    """The file with evaluators, which ``judge`` finds by name."""

    @property
    def may_write_missing(self) -> bool:
        """Whether a missing golden is written: not in CI, except with the update option."""
        return self.is_update or not os.environ.get("CI")


class AgentRun:
    """The run captured in a block; its methods judge it, and raise ``AssertionError``.

    By default they judge the only trajectory; if the run has several traces, pass the trajectory to
    judge as ``trajectory=``.
    """

    def __init__(self, block: Block, place: Place, recorder: Recorder) -> None:
        """Read the spans of a block; its trajectories are built when they are first read."""
        self._block = block
        self._place = place
        self._recorder = recorder
        self._judged: list[tuple[str, Result]] = []
        """Results with the trace id of their run."""

    @cached_property
    def trajectories(self) -> Sequence[dict[str, Any]]:  # JSON values
        """The documents of all traces, in order of their starts.

        Raises ``AssertionError`` inside the block, because the run is not over there.
        """
        __tracebackhide__ = True
        if not self._block.is_over:
            raise AssertionError("the run is not over: judge it after the block of agent_run")
        traces = Traces(None)
        traces.add(self._block.groups)
        documents = [orjson.loads(stored.document) for stored in traces.documents()]
        return sorted(documents, key=lambda document: Document(document).root.started_at)

    @property
    def trajectory(self) -> dict[str, Any]:  # JSON values
        """The document of the only trace; raises ``AssertionError`` if there are several."""
        __tracebackhide__ = True
        documents = self.trajectories
        if len(documents) != 1:
            raise AssertionError(
                f"the run has {len(documents)} traces ({names_of(documents)}): "
                "use run.trajectories, and judge one of them by trajectory="
            )
        return documents[0]

    @property
    def results(self) -> list[dict[str, Any]]:  # JSON values
        """The results of all judgements so far."""
        return [result.to_json() for _, result in self._judged]

    def match(self, golden: object, *, trajectory: Json | None = None, **options: Any) -> None:
        """Compare the calls with a golden file, a document or messages.

        A path is relative to the file of the test; ``options`` are the options of the kind
        ``match``. Raises ``AssertionError`` with the first difference and both trees.
        """
        __tracebackhide__ = True
        document = self._chosen(trajectory)
        config = {"name": "match", "kind": "match", **options}
        if not isinstance(golden, str | Path):
            self._hold(document, config, {"trajectory": golden})
            return
        file = Golden(self._place.folder / golden)
        file.check(options)
        config.setdefault("mode", "exact")
        file.write_if_due(
            document,
            is_update=self._place.is_update,
            may_write_missing=self._place.may_write_missing,
        )
        reference = file.read()
        self._hold(document, config, {"trajectory": reference}, reference)

    def rules(self, *, trajectory: Json | None = None, **rules: Any) -> None:
        """Check the run against named rules; raises ``AssertionError`` with the failed rules."""
        __tracebackhide__ = True
        config = {"name": "rules", "kind": "rules", "rules": rules}
        self._hold(self._chosen(trajectory), config)

    def check(self, expr: str, *, trajectory: Json | None = None) -> None:
        """Check that a condition of the query language holds; raises ``AssertionError``."""
        __tracebackhide__ = True
        fits = len(expr) <= MAX_NAME and expr.isprintable()
        config = {"name": expr if fits else "check", "kind": "where", "expr": expr}
        self._hold(self._chosen(trajectory), config)

    def judge(
        self,
        given: str | Mapping[str, Any],
        threshold: float | None = None,
        *,
        expected: Mapping[str, Any] | None = None,  # JSON values
        trajectory: Json | None = None,
    ) -> None:
        """Have a model judge the run; the test is skipped if no model can be called.

        ``given`` is the configuration of a judge, or a string: the name of an evaluator in the file
        that the setting ``spanloom_evaluators`` names; if it names none, the criteria. A
        ``threshold`` is on the judge's scale, which is 0 to 1 by default. Raises
        ``AssertionError`` if the run does not pass.
        """
        __tracebackhide__ = True
        try:
            judge = find_judge(given, threshold, self._place.evaluators)
        except MissingModelError as error:
            pytest.skip(f"not judged: {error}")
        document = self._chosen(trajectory)
        results = self._judge(document, [judge], expected)
        if reason := why_no_model(results):
            pytest.skip(f"{judge.name} not judged: {reason}")
        self._keep(document, [judge], results)
        _refuse(results, [judge], document)

    def evaluate(
        self,
        evaluators: object,
        *,
        expected: Mapping[str, Any] | None = None,  # JSON values
        trajectory: Json | None = None,
    ) -> list[dict[str, Any]]:  # JSON values
        """Judge the run with evaluators or callables, as ``spanloom.evaluate`` does.

        Returns the results; raises ``AssertionError`` with the failed results.
        """
        __tracebackhide__ = True
        results = self._hold(self._chosen(trajectory), evaluators, expected)
        return [result.to_json() for result in results]

    def _chosen(self, trajectory: Json | None) -> Json:
        __tracebackhide__ = True
        return self.trajectory if trajectory is None else trajectory

    def _hold(
        self,
        document: Json,
        evaluators: object,
        expected: Mapping[str, Any] | None = None,  # JSON values
        golden: Json | None = None,
    ) -> Sequence[Result]:
        """Judge, record the results, and raise ``AssertionError`` for failed results."""
        __tracebackhide__ = True
        judges = make_evaluators(evaluators, allow_code=True, folder=self._place.folder)
        results = self._judge(document, judges, expected)
        self._keep(document, judges, results)
        _refuse(results, judges, document, golden)
        return results

    def _judge(
        self,
        document: Json,
        made: Sequence[Evaluator],
        expected: Mapping[str, Any] | None,  # JSON values
    ) -> Sequence[Result]:
        trace_id = Document(document).id
        earlier = [result for of, result in self._judged if of == trace_id]
        subject = Subject(document, dict(expected or {}), earlier)
        return list(judge(subject, made))

    def _keep(self, document: Json, made: Sequence[Evaluator], results: Sequence[Result]) -> None:
        trace_id = Document(document).id
        self._judged += [(trace_id, result) for result in results]
        self._recorder.record(document, made, results, self._block.spans_of(trace_id))


def _refuse(
    results: Sequence[Result],
    made: Sequence[Evaluator],
    document: Json,
    golden: Json | None = None,
) -> None:
    """Raise ``AssertionError`` for the results that fail."""
    __tracebackhide__ = True
    warns = frozenset[str]().union(*(one.judging.warn_scores for one in made))
    if failed := failed_results(results, warns):
        raise AssertionError(failure_text(failed, document, golden))
