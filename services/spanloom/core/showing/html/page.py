"""Writes a run as one HTML file: facts, metrics, notes on what is missing, steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.document import Document, whole
from spanloom.core.showing.html.steps import Room, earliest, write_steps
from spanloom.core.showing.html.style import HASH, STYLE
from spanloom.core.showing.html.texts import legible
from spanloom.core.showing.values import duration, instant

if TYPE_CHECKING:
    from collections.abc import Iterator

POLICY = f"default-src 'none'; style-src 'sha256-{HASH}'; base-uri 'none'; form-action 'none'"
"""Content security policy: only the file's own style sheet is allowed, and no script."""
ENDING = "</main></body></html>"


def run_page(document: bytes) -> bytes:
    """Return a canonical document as one HTML file of at most 40 MB."""
    run: dict[str, Any] = orjson.loads(document)
    name = Document(run).root.name or run["id"]
    return "".join((*opening(name), *run_inside(run, Room()), ENDING)).encode()


def opening(name: str) -> Iterator[str]:
    """Yield the beginning of the file, up to the heading with the name."""
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_title(name)}</title><style>{STYLE}</style></head><body><main>"
    yield heading(name, 1)


def heading(name: str, level: int) -> str:
    """Return a heading with a name."""
    return f"<h{level}><bdi>{_title(name)}</bdi></h{level}>"


def run_inside(run: dict[str, Any], room: Room) -> Iterator[str]:
    """Yield a run's facts, notes on what is missing, and as many steps as ``room`` allows."""
    most = room.steps
    shown, steps = earliest(run, most)
    yield facts(_facts_of(run))
    yield _missing(run, steps, most)
    yield from write_steps(shown, room)


def facts(values: dict[str, str]) -> str:
    """Return a description list of names and values."""
    rows = (f"<div><dt>{key}</dt><dd>{legible(value)}</dd></div>" for key, value in values.items())
    return f"<dl>{''.join(rows)}</dl>"


def _title(name: str) -> str:
    return legible(name[:200])


def _facts_of(run: dict[str, Any]) -> dict[str, str]:
    view = Document(run)
    root, extraction, metrics = view.root, view.extraction, view.root.metrics_info
    return {
        "trace": view.id,
        "version": f"{extraction['version']}, {extraction['status']}",
        "started": instant(root.started_at),
        "duration": duration(root.duration),
        "model time": duration(whole(metrics["llm_duration"])),
        "tool time": duration(whole(metrics["tool_duration"])),
        "tokens in / out": f"{metrics['input_tokens']:,} / {metrics['output_tokens']:,}",
        "model errors": f"{metrics['model_error_rate']:.1%}",
        "tool errors": f"{metrics['tool_error_rate']:.1%}",
        "tool share": f"{metrics['tool_step_proportion']:.1%}",
    }


def _missing(run: dict[str, Any], steps: int, most: int) -> str:
    notes = [legible(str(warning)[:500]) for warning in run["extraction"].get("warnings", [])[:50]]
    if steps > most:
        where = f"/v1/trajectories/{legible(run['id'])}"
        cut = f"Of {steps:,} steps the earliest {most:,} are in this file. All are in {where}"
        notes.insert(0, cut)
    items = "".join(f"<li>{note}</li>" for note in notes)
    return f'<ul class="cut">{items}</ul>' if items else ""
