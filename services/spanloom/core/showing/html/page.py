"""The file: what the run is, what it measured, what is missing, its steps."""

from __future__ import annotations

from typing import Any

import orjson

from spanloom.core.showing.html.steps import MAX_STEPS, earliest, write_steps
from spanloom.core.showing.html.style import HASH, STYLE
from spanloom.core.showing.html.texts import legible
from spanloom.core.showing.values import duration, instant, whole

MEDIA_TYPE = "text/html; charset=utf-8"
POLICY = f"default-src 'none'; style-src 'sha256-{HASH}'; base-uri 'none'; form-action 'none'"
"""What a browser may do with the file: use the one style sheet in it. It has no script."""


def run_page(document: bytes) -> bytes:
    """Return a canonical document as one file of HTML, 40 MB at most."""
    run: dict[str, Any] = orjson.loads(document)
    shown, steps = earliest(run)
    name = legible((run["root_step"].get("name") or run["id"])[:200])
    pieces = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{name}</title><style>{STYLE}</style></head><body><main>",
        f"<h1><bdi>{name}</bdi></h1>",
        _facts(run),
        _missing(run, steps),
        *write_steps(shown),
        "</main></body></html>",
    )
    return "".join(pieces).encode()


def _facts(run: dict[str, Any]) -> str:
    root, told = run["root_step"], run["extraction"]
    basic, metrics = root["basic_info"], root["metrics_info"]
    facts = {
        "trace": run["id"],
        "version": f"{told['version']}, {told['status']}",
        "started": instant(whole(basic["started_at"])),
        "duration": duration(whole(basic["duration"])),
        "model time": duration(whole(metrics["llm_duration"])),
        "tool time": duration(whole(metrics["tool_duration"])),
        "tokens in / out": f"{metrics['input_tokens']:,} / {metrics['output_tokens']:,}",
        "model errors": f"{metrics['model_error_rate']:.1%}",
        "tool errors": f"{metrics['tool_error_rate']:.1%}",
        "tool share": f"{metrics['tool_step_proportion']:.1%}",
    }
    rows = (f"<div><dt>{key}</dt><dd>{legible(value)}</dd></div>" for key, value in facts.items())
    return f"<dl>{''.join(rows)}</dl>"


def _missing(run: dict[str, Any], steps: int) -> str:
    notes = [legible(str(warning)[:500]) for warning in run["extraction"].get("warnings", [])[:50]]
    if steps > MAX_STEPS:
        notes.insert(0, f"Of {steps:,} steps the earliest {MAX_STEPS:,} are in this file.")
    items = "".join(f"<li>{note}</li>" for note in notes)
    return f'<ul class="cut">{items}</ul>' if items else ""
