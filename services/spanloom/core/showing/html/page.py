"""The file: what the run is, what it measured, what is missing, its steps."""

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
"""What a browser may do with the file: use the one style sheet in it. It has no script."""
ENDING = "</main></body></html>"


def run_page(document: bytes) -> bytes:
    """Return a canonical document as one file of HTML, 40 MB at most."""
    run: dict[str, Any] = orjson.loads(document)
    name = Document(run).root.name or run["id"]
    return "".join((*opening(name), *run_inside(run, Room()), ENDING)).encode()


def opening(name: str) -> Iterator[str]:
    """Yield the file up to its heading, which is its name."""
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_title(name)}</title><style>{STYLE}</style></head><body><main>"
    yield heading(name, 1)


def heading(name: str, level: int) -> str:
    """Return a name as a heading."""
    return f"<h{level}><bdi>{_title(name)}</bdi></h{level}>"


def run_inside(run: dict[str, Any], room: Room) -> Iterator[str]:
    """Yield what a run is, what of it is missing, and those of its steps that have room."""
    most = room.steps
    shown, steps = earliest(run, most)
    yield facts(_told_of(run))
    yield _missing(run, steps, most)
    yield from write_steps(shown, room)


def facts(told: dict[str, str]) -> str:
    """Return names and what they are as a list."""
    rows = (f"<div><dt>{key}</dt><dd>{legible(value)}</dd></div>" for key, value in told.items())
    return f"<dl>{''.join(rows)}</dl>"


def _title(name: str) -> str:
    return legible(name[:200])


def _told_of(run: dict[str, Any]) -> dict[str, str]:
    view = Document(run)
    root, told, metrics = view.root, view.extraction, view.root.metrics_info
    return {
        "trace": view.id,
        "version": f"{told['version']}, {told['status']}",
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
