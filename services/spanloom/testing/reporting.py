"""Writes the judgements of all tests as a report, JUnit and Markdown, and sends them to a service.

The judgements of a test travel in its report, so that workers of pytest-xdist need no files, and a
worker that crashes loses no other test.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from spanloom.evaluation.files.judging import Judgement, Row
from spanloom.evaluation.files.junit import junit_lines
from spanloom.evaluation.files.markdown import markdown
from spanloom.evaluation.files.measures import measure
from spanloom.evaluation.files.outcome import GATE_FAILED, Outcome
from spanloom.evaluation.files.report import make_head, report_lines
from spanloom.testing.options import EXPERIMENT, REPORT, SEND
from spanloom.testing.records import RECORDS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping

NAME = "pytest"
"""The name of the experiment in the report."""
_CARRIED = "agent_records"


class Reporting:
    """Collects the records of tests; writes and sends them when the session ends."""

    def __init__(self, config: pytest.Config) -> None:
        """Read the paths of the files, and the URL to send to, from the options."""
        self._folder = config.getoption(REPORT)
        self._url = _checked(config.getoption(SEND))
        self._experiment = config.getoption(EXPERIMENT)
        self._lines: list[str] = []
        self._is_worker = hasattr(config, "workerinput")
        self._tests: dict[str, list[Any]] = {}
        self._failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the records of a test to its report."""
        report = yield
        if call.when == "call" and (records := item.stash.get(RECORDS, None)):
            setattr(report, _CARRIED, orjson.dumps(records).decode())
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store the records of a report; if a test ran again, its last records replace them."""
        records = getattr(report, _CARRIED, None)
        if self._is_worker or records is None:
            return
        self._tests[report.nodeid] = orjson.loads(records)
        (self._failed.add if report.failed else self._failed.discard)(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the files, even if nothing was judged, and send the records."""
        if self._is_worker:
            return
        if self._folder:
            self._report(Path(self._folder))
        if self._url:
            self._send(self._url)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print what was sent, and what could not be sent."""
        for line in self._lines:
            terminalreporter.write_line(line)

    def _send(self, url: str) -> None:
        from spanloom.client.client import Client  # noqa: PLC0415  # only to send
        from spanloom.testing.sending import experiment_name, send_session  # noqa: PLC0415

        name = self._experiment or experiment_name()
        with Client(url) as client:
            sent = send_session(client, name, self._tests)
        self._lines.append(
            f"spanloom: {sent.runs} runs and {sent.scores} scores sent to {url} as experiment "
            f"{name!r}"
        )
        if sent.fault:
            self._lines.append(f"spanloom: not all was sent: {sent.fault}")

    def _report(self, folder: Path) -> None:
        judged = _Judged.of(self._tests)
        outcome = _outcome(judged, has_failed=bool(self._failed))
        head = make_head(NAME, judged.evaluator_rows, judged, outcome)
        folder.mkdir(parents=True, exist_ok=True)
        text = markdown(NAME, judged.warns, judged, outcome)
        _write(folder / "report.json", report_lines(head, judged))
        _write(folder / "junit.xml", junit_lines(NAME, judged, judged.warns))
        _write(folder / "report.md", [text.encode(errors="replace")])


def _checked(url: str | None) -> str | None:
    """Return the URL to send to; raises ``pytest.UsageError`` if it is invalid."""
    if url is not None:
        from spanloom.client.address import find_address  # noqa: PLC0415  # only to send

        try:
            find_address(url, None)
        except ValueError as error:
            raise pytest.UsageError(f"{SEND}: {error}") from error
    return url


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    path.write_bytes(b"".join(pieces))


@dataclass
class _Judged(Judgement):
    """The judgements of all tests, as the rows of a report."""

    made: list[Row] = field(default_factory=list)
    evaluator_rows: list[Mapping[str, Any]] = field(default_factory=list)
    warns: frozenset[str] = frozenset()

    @classmethod
    def of(cls, tests: Mapping[str, list[Any]]) -> _Judged:
        judged = cls([])
        evaluators: dict[tuple[str, str], Mapping[str, Any]] = {}
        warns: set[str] = set()
        runs: set[str] = set()
        for item in sorted(tests):
            records = tests[item]
            judged.made += _rows(item, records)
            for record in records:
                runs.add(record["run"]["trace_id"])
                warns.update(record["warns"])
                for one in record["evaluators"]:
                    evaluators[one["name"], one["config_hash"]] = one
        judged.runs, judged.warns = len(runs), frozenset(warns)
        judged.evaluator_rows = [*evaluators.values()]
        return judged

    @property
    def item_count(self) -> int:
        return len({row.result["item"] for row in self.made})

    def rows(self) -> Iterator[Row]:
        return iter(self.made)


def _rows(item: str, records: list[Any]) -> Iterator[Row]:
    """Yield the results of a test, which is an item of the report.

    Its runs are the repeats of the item, in order of their starts.
    """
    runs = sorted({(one["started_at"], one["run"]["trace_id"]) for one in records})
    repeats = {trace_id: at for at, (_, trace_id) in enumerate(runs)}
    for record in sorted(records, key=lambda one: repeats[one["run"]["trace_id"]]):
        repeat = repeats[record["run"]["trace_id"]]
        for result, shown in zip(record["results"], record["shown"], strict=True):
            yield Row({**result, "item": item, "repeat": repeat, **record["run"]}, shown)


def _outcome(judged: _Judged, *, has_failed: bool) -> Outcome:
    measures = measure((row.result for row in judged.rows()), ())
    status = "failed" if has_failed else "passed"
    return Outcome(measures, [], status, GATE_FAILED if has_failed else 0, [])
