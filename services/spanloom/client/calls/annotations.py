"""Calls that export and import annotations, one entry per annotator and run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson

from spanloom.client.moments import milliseconds_or_none
from spanloom.client.request import JSON, Call, Reply, Request, get, given
from spanloom.core.formats.entry import NDJSON
from spanloom.core.records.scheme import ImportReport, SchemeItem, SchemeList

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.client.moments import Moment


def annotation_entries(
    *,
    project: str | None = None,
    scheme: str | None = None,
    annotator: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    form: str | None = None,
) -> Call[list[dict[str, Any]]]:
    """Return annotations, one entry per annotator and run (docs/annotation.md).

    With ``form`` ``sft`` or ``dpo`` the result is training examples made from corrected answers;
    with ``invariant`` or ``snorkel`` it is annotated runs in the format of that tool.
    """
    filters = _filters(project, scheme, annotator, since, until)
    request = Request(
        "GET", "/v1/annotations", {**filters, **given({"format": form})}, media_type=NDJSON
    )
    return Call(request, _entries)


def annotation_table(
    media_type: str,
    *,
    project: str | None = None,
    scheme: str | None = None,
    annotator: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
) -> Call[bytes]:
    """Return annotations as a table with a row per step: CSV, Arrow or Parquet."""
    filters = _filters(project, scheme, annotator, since, until)
    headers = {"accept": media_type}
    request = Request("GET", "/v1/annotations", filters, headers, media_type=media_type)
    return Call(request, lambda reply: reply.body)


def annotation_corrections(
    *,
    project: str | None = None,
    scheme: str | None = None,
    annotator: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
) -> Call[Mapping[str, int]]:
    """Return how many corrections are usable as training examples, and how many not, by reason."""
    filters = _filters(project, scheme, annotator, since, until)
    return Call(Request("GET", "/v1/annotations/corrections", filters), _counts)


def import_annotations(
    entries: Iterable[Mapping[str, Any]], *, project: str | None = None, dry_run: bool = False
) -> Call[ImportReport]:
    """Import annotation entries of up to 10,000 steps; importing the same again adds nothing."""
    request = Request(
        "POST",
        "/v1/annotations/import",
        given({"project": project, "dry_run": dry_run or None}),
        {"content-type": NDJSON},
        b"\n".join(map(orjson.dumps, entries)),
    )
    return Call(request, lambda reply: ImportReport.model_validate_json(reply.body))


def schemes(*, project: str | None = None) -> Call[Sequence[SchemeItem]]:
    """Return the annotation schemes of a project, followed by the presets."""

    def read(reply: Reply) -> Sequence[SchemeItem]:
        schemes = SchemeList.model_validate_json(reply.body)
        return [*schemes.items, *schemes.presets]

    return Call(get("/v1/schemes", project=project), read)


def put_scheme(name: str, text: str, *, project: str | None = None) -> Call[SchemeItem]:
    """Store a scheme from its YAML or JSON; its ``remarks`` name lines to check."""
    request = Request(
        "PUT",
        f"/v1/schemes/{quote(name, safe='')}",
        given({"project": project}),
        {"content-type": JSON},
        orjson.dumps({"text": text}),
    )
    return Call(request, lambda reply: SchemeItem.model_validate_json(reply.body))


def _filters(
    project: str | None,
    scheme: str | None,
    annotator: str | None,
    since: Moment | None,
    until: Moment | None,
) -> Mapping[str, str]:
    """Return the parameters that select annotations."""
    return given(
        {
            "project": project,
            "scheme": scheme,
            "annotator": annotator,
            "since": milliseconds_or_none(since),
            "until": milliseconds_or_none(until),
        }
    )


def _counts(reply: Reply) -> Mapping[str, int]:
    counts: dict[str, int] = orjson.loads(reply.body)
    return counts


def _entries(reply: Reply) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in reply.body.splitlines() if line]
