"""Prints a trajectory: its tree of steps with durations, tokens and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from spanloom.core.document import Document, whole
from spanloom.core.messages.texts import answer_in, question_in
from spanloom.core.showing.steps import build_tree, repeated_calls
from spanloom.core.showing.values import (
    counted,
    dollars,
    duration,
    instant,
    printable,
    shortened,
)
from spanloom.terminal.message_lines import failures_by_step
from spanloom.terminal.output import (
    OUTCOME_STYLES,
    STATUS_STYLES,
    TYPE_STYLES,
    Signs,
    cut,
    signs_of,
)
from spanloom.terminal.tree import tree_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from spanloom.core.document import DocumentExtraction, DocumentStep

Json = dict[str, Any]  # the canonical document as parsed JSON

MAX_WIDTH = 120
_MOST_REPEATS = 5


def render_trajectory(document: Json, console: Console) -> None:
    """Print a canonical document: a heading, the tree of steps, the totals, the warnings.

    Colours and signs depend on the console. The document is untrusted: control characters are
    escaped and markup is not interpreted.
    """
    for line in trajectory_lines(document, console):
        console.print(line, width=min(console.width, MAX_WIDTH))


def trajectory_lines(document: Json, console: Console) -> list[Text]:
    """Return the lines that ``render_trajectory`` prints to this console."""
    signs = signs_of(console)
    width = min(console.width, MAX_WIDTH)
    lines = [
        *_heading(document, signs, width),
        Text(),
        *tree_lines(build_tree(document), signs, width, failures_by_step(document)),
        Text(),
        *_totals(document, signs),
        *_repeats(document, signs, width),
        *warning_lines(document, signs),
    ]
    for line in lines:
        line.rstrip()
    return lines


def joined(parts: Iterable[Text | str], signs: Signs) -> Text:
    """Join the non-empty texts by dots."""
    dot = Text.assemble((f" {signs.dot} ", "dim"))
    return dot.join(Text.assemble(part) for part in parts if part)


def warning_lines(document: Json, signs: Signs) -> list[Text]:
    """Return the warnings of the extraction, and a line if the trace duplicates another."""
    extraction = Document(document).extraction
    lines = [str(warning) for warning in extraction.warnings]
    if original := extraction.duplicate_of:
        lines.append(f"reports again what trace {original.get('trace_id')} has; left out of totals")
    return [Text(f"{signs.warning} {shortened(line, 400)}", "yellow") for line in lines]


def _heading(document: Json, signs: Signs, width: int) -> list[Text]:
    view = Document(document)
    root, extraction = view.root, view.extraction
    status = str(extraction.status_text)
    name = Text(printable(str(root.name)) or "(no name)", "bold")
    facts: list[Text | str] = [
        Text(status, STATUS_STYLES.get(status, "")),
        _outcome(extraction),
        instant(root.started_at),
        f"project {printable(str(extraction.project))}" if extraction.project else "",
    ]
    origin = [
        f"version {extraction.version}" if extraction.version else "",
        counted(extraction.span_count, "span"),
        printable(", ".join(map(str, extraction.dialects))),
    ]
    lines = [
        joined([name, *facts], signs),
        Text.assemble((printable(view.id), "dim"), "  ", joined(origin, signs)),
    ]
    for label, text in (*_texts(root), *_waits(extraction)):
        if shown := shortened(text, width - 10):
            lines.append(cut(Text.assemble((f"{label:<10}", "dim"), shown), width))
    return lines


def _texts(root: DocumentStep) -> Iterable[tuple[str, str]]:
    yield "asked", question_in(str(root.input))
    yield "answered", answer_in(str(root.output))


def _waits(extraction: DocumentExtraction) -> Iterable[tuple[str, str]]:
    """Yield labels and texts: questions to people, and links to runs before and after a pause."""
    resumer = str(extraction.resumed_by)
    for pause in extraction.pauses:
        yield "waited" if resumer else "waits for", str(pause.get("question", ""))
    yield "resumes", str(extraction.resumes)
    yield "resumed", f"by {resumer}" if resumer else ""


def _outcome(extraction: DocumentExtraction) -> Text | str:
    """Return the outcome unless it is ok: ``recovered from 2 failures``."""
    outcome = str(extraction.outcome)
    if outcome not in OUTCOME_STYLES:
        return ""
    failures = counted(extraction.failures, "failure")
    is_over = bool(extraction.resumed_by)
    words = {
        "recovered": f"recovered from {failures}",
        "paused": "paused, then resumed" if is_over else "paused, waits for a person",
        "cancelled": "cancelled, stopped from outside",
        "unfinished": "unfinished, its spans have no end",
        "failed": f"failed, {failures}",
    }
    return Text(words[outcome], OUTCOME_STYLES[outcome])


def _totals(document: Json, signs: Signs) -> list[Text]:
    view = Document(document)
    metrics, counts = view.root.metrics, view.extraction.step_counts
    lines = []
    for kind, noun, took_ms, failed in (
        ("model", "model call", metrics.llm_duration, metrics.failed_models),
        ("tool", "tool run", metrics.tool_duration, metrics.failed_tools),
    ):
        lines.append(
            Text.assemble(
                (counted(whole(counts.get(kind)), noun), TYPE_STYLES[kind]),
                f" in {duration(took_ms)}" if counts.get(kind) else "",
                (f" ({failed} failed)" if failed else "", "red"),
            )
        )
    lines += [
        Text(counted(whole(counts[kind]), kind), TYPE_STYLES[kind])
        for kind in ("agent", "graph")
        if counts.get(kind)
    ]
    tokens = f"tokens {metrics.input_tokens:,} in, {metrics.output_tokens:,} out"
    return [joined([*lines, tokens, _cost(document)], signs)]


def _repeats(document: Json, signs: Signs, width: int) -> Iterable[Text]:
    """Yield a line for each tool that ran several times with the same arguments."""
    for step, times in repeated_calls(document)[:_MOST_REPEATS]:
        call = shortened(f"{step.name} {step.input}".rstrip(), width - 30)
        yield Text(f"{signs.warning} the same call {times} times: {call}", "yellow")


def _cost(document: Json) -> str:
    """Return the cost, ``more than …`` if some prices are unknown; empty if all are unknown."""
    extraction = Document(document).extraction
    if (total := extraction.cost_usd) is not None:
        return dollars(float(total))
    known = extraction.known_cost_usd
    return "" if known is None else f"more than {dollars(float(known))}"
