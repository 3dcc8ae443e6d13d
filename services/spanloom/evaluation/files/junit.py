"""Writes JUnit XML with a test case for each item and score, for build servers."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from spanloom.evaluation.files.measures import passes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from spanloom.evaluation.files.judging import Judgement, Row

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot have, not even escaped."""
_DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>\n'


class _Case(NamedTuple):
    score: str
    item: str
    outcome: str
    """The name of the child element: ``failure``, ``error`` or ``skipped``; empty if it passed."""
    message: str
    text: str


def junit_lines(name: str, judgement: Judgement, warn_scores: Collection[str]) -> Iterator[bytes]:
    """Yield the bytes of a file with one test suite, case by case."""
    counts = Counter(case.outcome for case in _cases(judgement, warn_scores))
    numbers = {
        "tests": counts.total(),
        "failures": counts["failure"],
        "errors": counts["error"],
        "skipped": counts["skipped"],
    }
    attributes = {"name": name, **{key: str(value) for key, value in numbers.items()}}
    yield _DECLARATION + b"<testsuites>\n" + _opening("testsuite", attributes)
    for case in _cases(judgement, warn_scores):
        yield _element(case)
    yield b"</testsuite>\n</testsuites>\n"


def _opening(tag: str, attributes: dict[str, str]) -> bytes:
    """Return the opening tag of an element."""
    clean = {key: _clean(value) for key, value in attributes.items()}
    whole: bytes = ET.tostring(ET.Element(tag, clean), "utf-8")
    return whole.removesuffix(b" />") + b">\n"


def _element(case: _Case) -> bytes:
    made = ET.Element("testcase", classname=_clean(case.score), name=_clean(case.item))
    if case.outcome:
        inner = ET.SubElement(made, case.outcome, message=_clean(case.message))
        inner.text = _clean(case.text)
    elif case.text:
        ET.SubElement(made, "system-out").text = _clean(case.text)
    whole: bytes = ET.tostring(made, "utf-8")
    return whole + b"\n"


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("", text)


def _cases(judgement: Judgement, warn_scores: Collection[str]) -> Iterator[_Case]:
    """Yield the cases item by item; the repeats of an item are one case for each score."""
    for item, rows in groupby(judgement.rows(), key=lambda row: str(row.result["item"])):
        by_score: dict[str, list[Row]] = {}
        for row in rows:
            by_score.setdefault(row.result["name"], []).append(row)
        for score, repeats in by_score.items():
            yield _case(score, item, repeats, only_warns=score in warn_scores)


def _case(score: str, item: str, repeats: Sequence[Row], *, only_warns: bool) -> _Case:
    failed = [row for row in repeats if passes(row.result) is False]
    if failed:
        outcome = "" if only_warns else "failure"
        text = _text(failed)
        warning = f"warning: {text}" if only_warns else text
        return _Case(score, item, outcome, _message(failed, repeats), warning)
    if errors := _of_status(repeats, "error"):
        return _Case(score, item, "error", _message(errors, repeats), _text(errors))
    left_out = [*_of_status(repeats, "na"), *_of_status(repeats, "skipped")]
    if len(left_out) == len(repeats):
        return _Case(score, item, "skipped", _message(left_out, repeats), "")
    return _Case(score, item, "", "", "")


def _of_status(repeats: Iterable[Row], status: str) -> list[Row]:
    return [row for row in repeats if row.result["status"] == status]


def _message(some: Sequence[Row], repeats: Sequence[Row]) -> str:
    first = some[0].result["rationale"] or some[0].result["error_code"]
    if not first and some[0].result["value"] is not None:
        first = f"value {some[0].result['value']}"
    return first if len(repeats) == 1 else f"{len(some)} of {len(repeats)} repeats: {first}"


def _text(some: Iterable[Row]) -> str:
    """Return a line for each result, with trace id and rationale, and lines for its evidence."""
    lines = []
    for row in some:
        result = row.result
        code = f"{result['error_code']}: " if result["error_code"] else ""
        lines.append(f"trace {result['trace_id'] or '-'}: {code}{result['rationale']}")
        lines += [f"  {line}" for line in row.excerpts]
    return "\n".join(lines)
