"""Reads the body of an import, and makes its report."""

from collections.abc import Sequence
from typing import Any

import orjson
from fastapi import HTTPException

from spanloom.annotation.exchange import ImportOutcome
from spanloom.annotation.writing import MOST_ROWS
from spanloom.core.records.scheme import ImportFinding, ImportReport


def report_of(taken: Sequence[ImportOutcome], *, is_dry_run: bool) -> ImportReport:
    """Return the report of an import, with its lines in order."""
    refused = [(at, one.refused) for at, one in enumerate(taken, 1) if one.refused]
    flags = [(at, flag) for at, one in enumerate(taken, 1) for flag in one.flags]
    return ImportReport(
        dry_run=is_dry_run,
        added=sum(one.added for one in taken),
        there=sum(one.there for one in taken),
        refused=[ImportFinding(line=at, detail=detail) for at, detail in refused],
        flags=[ImportFinding(line=at, detail=flag) for at, flag in flags],
    )


def read_entries(body: bytes) -> list[dict[str, Any]]:
    """Return entries from JSON lines or a JSON list; raises 422 for anything else or too many."""
    lines = [line for line in body.split(b"\n") if line.strip()]
    entries = [_parsed(at, line) for at, line in enumerate(lines, 1)]
    if len(entries) == 1 and isinstance(entries[0], list):
        entries = entries[0]
    for at, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            raise HTTPException(422, f"Line {at} is no JSON object.")
    rows = sum(len(steps) for e in entries if isinstance(steps := e.get("steps"), list))
    if rows > MOST_ROWS:
        raise HTTPException(422, f"{rows:,} steps are too many: at most {MOST_ROWS:,} a request.")
    return entries


def _parsed(at: int, line: bytes) -> Any:  # any JSON value
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise HTTPException(422, f"Line {at} is no JSON: {error}") from error
