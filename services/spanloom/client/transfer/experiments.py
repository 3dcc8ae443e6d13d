"""Reads results of experiments from a service, as rows or as a report to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.client.calls.experiments import experiment_page
from spanloom.evaluation.files.report import FORMAT, ReadReport

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.client.client import Client

    Row = Mapping[str, Any]  # a result as parsed JSON


def list_results(
    client: Client, name: str, *, score: str | None = None, project: str | None = None
) -> Iterator[Row]:
    """Yield the results of an experiment, or of one score in it; raises ``ClientError``."""
    cursor: str | None = ""
    while cursor is not None:
        page = client.ask(
            experiment_page(name, score=score, project=project, cursor=cursor or None)
        )
        yield from page["items"]
        cursor = page["next_cursor"]


def report_of(client: Client, name: str, *, project: str | None = None) -> ReadReport:
    """Return the results of an experiment as a report; raises ``ClientError``."""
    rows = list(list_results(client, name, project=project))
    return ReadReport.model_validate({"format": FORMAT, "name": name, "results": rows})
