"""Writes a run as one HTML file, or a conversation run by run.

A conversation::

    yield begin("support/4711")
    for at, line in enumerate(lines, 1):
        yield write_run(at, line, document if room.steps > 0 else None, room)
    yield finish()
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.document import Document
from spanloom.core.showing.html.steps import Room, earliest, write_steps
from spanloom.core.showing.html.texts import legible
from spanloom.core.showing.values import duration, instant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.query.lists import ListedRun

STYLE = """
:root{color-scheme:light dark;--a:#8025cd;--m:#042473;--t:#007255;--g:#836401;--o:#545c6f;
--e:#67181c;--l:#dfe2e8;--s:#f4f5f7}
@media(prefers-color-scheme:dark){:root{--a:#e8bffe;--m:#7196fa;--t:#8fead5;--g:#f9c632;
--o:#9ea4ae;--e:#de8785;--l:#2b2f38;--s:#1b1e24}
body{background:#14161a;color:#e7e9ee}}
body{font:13px/1.5 system-ui,"Noto Sans","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",
sans-serif;max-width:1100px;margin:0 auto;padding:24px}
h1{font-size:18px;overflow-wrap:anywhere}
h2{font-size:15px;overflow-wrap:anywhere;border-top:1px solid var(--l);padding-top:16px}
h3{font-size:12px;margin:6px 0 0;color:var(--o)}
dl{display:flex;flex-wrap:wrap;gap:4px 24px}
dl div{display:flex;flex-wrap:wrap;gap:0 6px;min-width:0}dt{color:var(--o)}
dd{margin:0;font-weight:600;min-width:0;overflow-wrap:anywhere}
body *{min-width:0}
details{border-inline-start:2px solid var(--l);padding-inline-start:10px;margin:4px 0}
summary{cursor:pointer;min-height:24px;overflow-wrap:anywhere}small,.cut{color:var(--o)}
.text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}
.said{border-inline-start:2px solid var(--o);padding-inline-start:8px;margin:4px 0}
.side{background:var(--s);padding:2px 10px 6px;margin:4px 0}.bad{color:var(--e)}
.agent{color:var(--a)}.model{color:var(--m)}.tool{color:var(--t)}.graph{color:var(--g)}
.other{color:var(--o)}
@media print{details::details-content{content-visibility:visible;height:auto;display:block}
body{max-width:none;padding:0}.side{background:none}}
"""
HASH = b64encode(sha256(STYLE.encode()).digest()).decode()


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
    """Yield a run's facts, notes about what is missing, and as many steps as ``room`` allows."""
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
    root, extraction, metrics = view.root, view.extraction, view.root.metrics
    return {
        "trace": view.id,
        "version": f"{extraction.version}, {extraction.status_text}",
        "started": instant(root.started_at),
        "duration": duration(root.duration),
        "model time": duration(metrics.llm_duration),
        "tool time": duration(metrics.tool_duration),
        "tokens in / out": f"{metrics.input_tokens:,} / {metrics.output_tokens:,}",
        "model errors": f"{metrics.model_error_rate:.1%}",
        "tool errors": f"{metrics.tool_error_rate:.1%}",
        "tool share": f"{metrics.tool_step_proportion:.1%}",
    }


def _missing(run: dict[str, Any], steps: int, most: int) -> str:
    warnings = Document(run).extraction.warnings[:50]
    notes = [legible(str(warning)[:500]) for warning in warnings]
    if steps > most:
        where = f"/v1/trajectories/{legible(run['id'])}"
        cut = f"Of {steps:,} steps the earliest {most:,} are in this file. All are in {where}"
        notes.insert(0, cut)
    items = "".join(f"<li>{note}</li>" for note in notes)
    return f'<ul class="cut">{items}</ul>' if items else ""


def begin(conversation_id: str) -> bytes:
    """Return the HTML before the first run."""
    return "".join(opening(conversation_id)).encode()


def write_run(at: int, line: ListedRun, document: bytes | None, room: Room) -> bytes:
    """Return a run with as many steps as ``room`` allows, or a link if there is no document.

    ``at`` is the run's number in the conversation, ``line`` its summary.
    """
    name = f"{at:,}. {line.run.root_name or line.key.trace_id}"
    if document is None:
        inside = [facts(_facts_of_line(line)), _elsewhere(line)]
    else:
        run: dict[str, Any] = orjson.loads(document)
        inside = list(run_inside(run, room))
    return "".join((heading(name, 2), *inside)).encode()


def finish(note: str = "") -> bytes:
    """Return the HTML after the last run; ``note`` is the reason why runs are missing."""
    return f"{_cut(legible(note)) if note else ''}{ENDING}".encode()


def _facts_of_line(line: ListedRun) -> dict[str, str]:
    return {
        "trace": line.key.trace_id,
        "version": f"{line.version}, {line.status}",
        "started": instant(line.run.started_at),
        "duration": duration(line.run.duration),
    }


def _elsewhere(line: ListedRun) -> str:
    where = f"/v1/trajectories/{legible(line.key.trace_id)}/export.html"
    return _cut(f"Its steps are not in this file. They are in {where}")


def _cut(text: str) -> str:
    return f'<p class="cut">{text}</p>'
