"""A trajectory on a terminal: who did what, how long it took, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from spanloom.core.messages.texts import answer_in, question_in
from spanloom.core.showing.step_tree import build_tree
from spanloom.core.showing.values import (
    counted,
    dollars,
    duration,
    instant,
    printable,
    shortened,
    whole,
)
from spanloom.terminal.sayings import failures_by_step
from spanloom.terminal.tree import tree_lines
from spanloom.terminal.values import (
    OUTCOME_STYLES,
    STATUS_STYLES,
    TYPE_STYLES,
    Signs,
    cut,
    signs_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

Document = dict[str, Any]  # the canonical document, as json gives it

MAX_WIDTH = 120


def render_trajectory(document: Document, console: Console) -> None:
    """Print a canonical document: a heading, the tree of steps, the totals, the warnings.

    Colours and signs are those that the console can show. Nothing in the document can do more
    than be read: control characters are escaped and markup is not interpreted.
    """
    for line in trajectory_lines(document, console):
        console.print(line, width=min(console.width, MAX_WIDTH))


def trajectory_lines(document: Document, console: Console) -> list[Text]:
    """Return what ``render_trajectory`` prints, for this console."""
    signs = signs_of(console)
    width = min(console.width, MAX_WIDTH)
    lines = [
        *_heading(document, signs, width),
        Text(),
        *tree_lines(build_tree(document), signs, width, failures_by_step(document)),
        Text(),
        *_totals(document, signs),
        *warning_lines(document, signs),
    ]
    for line in lines:
        line.rstrip()
    return lines


def joined(parts: Iterable[Text | str], signs: Signs) -> Text:
    """Join what is not empty by dots."""
    dot = Text.assemble((f" {signs.dot} ", "dim"))
    return dot.join(Text.assemble(part) for part in parts if part)


def warning_lines(document: Document, signs: Signs) -> list[Text]:
    """Return what was odd about the trace, and whether it only repeats another."""
    extraction = document.get("extraction") or {}
    lines = [str(warning) for warning in extraction.get("warnings") or []]
    if original := extraction.get("duplicate_of"):
        lines.append(f"reports again what trace {original.get('trace_id')} has; left out of totals")
    return [Text(f"{signs.warning} {shortened(line, 400)}", "yellow") for line in lines]


def _heading(document: Document, signs: Signs, width: int) -> list[Text]:
    root, extraction = document.get("root_step") or {}, document.get("extraction") or {}
    status = str(extraction.get("status", ""))
    info = root.get("basic_info") or {}
    name = Text(printable(str(root.get("name", ""))) or "(no name)", "bold")
    facts: list[Text | str] = [
        Text(status, STATUS_STYLES.get(status, "")),
        _outcome(extraction),
        instant(whole(info.get("started_at"))),
        f"project {printable(str(extraction['project']))}" if extraction.get("project") else "",
    ]
    origin = [
        f"version {extraction['version']}" if "version" in extraction else "",
        counted(whole(extraction.get("span_count")), "span"),
        printable(", ".join(map(str, extraction.get("dialects") or []))),
    ]
    lines = [
        joined([name, *facts], signs),
        Text.assemble((printable(str(document.get("id", ""))), "dim"), "  ", joined(origin, signs)),
    ]
    for label, said in (*_texts(root), *_waits(extraction)):
        if shown := shortened(said, width - 10):
            lines.append(cut(Text.assemble((f"{label:<10}", "dim"), shown), width))
    return lines


def _texts(root: Document) -> Iterable[tuple[str, str]]:
    yield "asked", question_in(str(root.get("input") or ""))
    yield "answered", answer_in(str(root.get("output") or ""))


def _waits(extraction: Document) -> Iterable[tuple[str, str]]:
    """Say for what the run waits or waited, and which runs it goes on with."""
    resumer = str(extraction.get("resumed_by", ""))
    for pause in extraction.get("pauses") or []:
        yield "waited" if resumer else "waits for", str(pause.get("question", ""))
    yield "resumes", str(extraction.get("resumes", ""))
    yield "resumed", f"by {resumer}" if resumer else ""


def _outcome(extraction: Document) -> Text | str:
    """Say how the run went, if not simply well: ``recovered from 2 failures``."""
    outcome = str(extraction.get("outcome", ""))
    if outcome not in OUTCOME_STYLES:
        return ""
    failures = counted(whole(extraction.get("failures")), "failure")
    is_over = bool(extraction.get("resumed_by"))
    words = {
        "recovered": f"recovered from {failures}",
        "paused": "paused, then resumed" if is_over else "paused, waits for a person",
        "cancelled": "cancelled, stopped from outside",
        "failed": f"failed, {failures}",
    }
    return Text(words[outcome], OUTCOME_STYLES[outcome])


def _totals(document: Document, signs: Signs) -> list[Text]:
    metrics = (document.get("root_step") or {}).get("metrics_info") or {}
    counts = (document.get("extraction") or {}).get("step_counts") or {}
    lines = []
    for kind, noun in (("model", "model call"), ("tool", "tool run")):
        took = duration(whole(metrics.get("llm_duration" if kind == "model" else "tool_duration")))
        failed = sum(len(ids) for ids in (metrics.get(f"{kind}_errors") or {}).values())
        lines.append(
            Text.assemble(
                (counted(whole(counts.get(kind)), noun), TYPE_STYLES[kind]),
                f" in {took}" if counts.get(kind) else "",
                (f" ({failed} failed)" if failed else "", "red"),
            )
        )
    lines += [
        Text(counted(whole(counts[kind]), kind), TYPE_STYLES[kind])
        for kind in ("agent", "graph")
        if counts.get(kind)
    ]
    spent = [f"{whole(metrics.get(f'{way}put_tokens')):,} {way}" for way in ("in", "out")]
    return [joined([*lines, f"tokens {spent[0]}, {spent[1]}", _cost(document)], signs)]


def _cost(document: Document) -> str:
    """Say what the calls cost; ``more than`` where a price is unknown, nothing where all are."""
    cost = (document.get("extraction") or {}).get("cost") or {}
    if (total := cost.get("usd")) is not None:
        return dollars(float(total))
    known = cost.get("known_usd")
    return "" if known is None else f"more than {dollars(float(known))}"
