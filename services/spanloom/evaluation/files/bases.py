"""Reads the reports with which other reports are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from spanloom.core.errors import InvalidRequestError
from spanloom.evaluation.files.measures import Measure, measure
from spanloom.evaluation.files.report import ReadReport

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_report(text: bytes) -> ReadReport:
    """Return the report of a file; raises ``InvalidRequestError`` that names the faulty member."""
    try:
        return ReadReport.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise InvalidRequestError(f"it is no report: {place}: {first['msg'].lower()}") from error


def measures_of(report: ReadReport) -> Mapping[str, Measure]:
    """Return the measures of the scores in a report, keyed by score."""
    return measure((row.model_dump() for row in report.results), ())
