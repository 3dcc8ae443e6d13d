"""Writes a report as Markdown, for a comment on a pull request: gates, scores, worst items.

Texts of runs are in code spans, so that nothing in them becomes a link, an image or a mention.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanloom.core.showing.values import counted, printable, shortened
from spanloom.evaluation.files.gates import interval, number
from spanloom.evaluation.files.worst import describe, find_worst

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from spanloom.evaluation.files.judging import Judgement, Row
    from spanloom.evaluation.files.measures import Measure
    from spanloom.evaluation.files.outcome import Outcome

MOST_BYTES = 60_000
"""Maximum bytes of the whole text; a comment on GitHub may have 65,536 characters."""
_MOST_ROWS = 100
"""Maximum rows of a table, and results of one item."""
_MOST_ITEMS = 500
"""Maximum items that are written; more never fit."""
_LONGEST = 400
_KEEP = 200
"""Bytes reserved for the last line."""


@dataclass(slots=True)
class _Page:
    """A text of limited size."""

    left: int = MOST_BYTES - _KEEP
    parts: list[str] = field(default_factory=list)

    def add(self, text: str) -> bool:
        """Add a text with a line end, and return whether there was room for it."""
        size = len(text.encode(errors="replace")) + 1
        if size > self.left:
            return False
        self.left -= size
        self.parts.append(f"{text}\n")
        return True

    def add_rest(self, items: int) -> None:
        """Add the number of omitted items, in the reserved bytes."""
        if items:
            self.parts.append(f"\nand {counted(items, 'more item')}\n")


def markdown(
    name: str, warn_scores: Collection[str], judgement: Judgement, outcome: Outcome
) -> str:
    """Return the Markdown of an evaluation, at most ``MOST_BYTES`` in UTF-8."""
    page = _Page()
    page.add(f"## {code(name)}: {outcome.status}\n")
    runs, items = counted(judgement.runs, "run"), counted(judgement.item_count, "item")
    page.add(f"{runs}, {items}.\n")
    for reason in outcome.reasons:
        page.add(f"- {code(reason)}")
    _table(page, "| gate | verdict | why |", _gate_cells(outcome))
    _table(
        page,
        "| score | passed | interval | mean | ok | n/a | errors | skipped |",
        map(_score_cells, outcome.measures.values()),
    )
    _worst(page, judgement, warn_scores)
    return "".join(page.parts)


def _gate_cells(outcome: Outcome) -> Iterator[Sequence[str]]:
    for one in outcome.decisions:
        yield code(f"{one.gate.score} {one.stat}"), f"**{one.verdict}**", code(one.reason)


def _score_cells(measure: Measure) -> Sequence[str]:
    rate, usual, mean = measure.estimate("pass_rate"), measure.usual(), measure.mean
    ends = (usual.low, usual.high) if usual else (None, None)
    return (
        code(measure.score),
        f"{rate.value:.1%}" if rate else "",
        interval(*ends),
        "" if mean is None else number(mean),
        *(str(measure.statuses[status]) for status in ("ok", "na", "error", "skipped")),
    )


def _table(page: _Page, head: str, rows: Iterable[Sequence[str]]) -> None:
    begun = False
    for at, cells in enumerate(rows):
        if not begun:
            begun = page.add(f"\n{head}\n|{' --- |' * (head.count('|') - 1)}")
        if at == _MOST_ROWS:
            page.add("\nand more")
            return
        page.add(f"| {' | '.join(cells)} |")


def _worst(page: _Page, judgement: Judgement, warn_scores: Collection[str]) -> None:
    """Write the items that failed, as many as fit."""
    worst = find_worst(judgement, warn_scores, _MOST_ITEMS)
    if worst.items:
        page.add("\n### Worst items")
    for at, (item, rows) in enumerate(worst.items):
        if not page.add("\n".join(_item_lines(item, rows))):
            page.add_rest(worst.total - at)
            return
    page.add_rest(worst.total - len(worst.items))


def _item_lines(item: str, rows: Sequence[Row]) -> Iterator[str]:
    yield f"\n**{code(item)}**\n"
    for row in rows[:_MOST_ROWS]:
        result = row.result
        where = f", trace {code(result['trace_id'])}" if result["trace_id"] else ""
        again = f", repeat {result['repeat']}" if result["repeat"] else ""
        why = f": {code(result['rationale'])}" if result["rationale"] else ""
        yield f"- {code(result['name'])} {describe(row)}{again}{where}{why}"
        for line in row.excerpts:
            yield f"  - {code(line)}"
    if len(rows) > _MOST_ROWS:
        yield f"- and {len(rows) - _MOST_ROWS} more"


def code(text: str) -> str:
    """Return a text as a code span on one line; pipes are escaped for tables."""
    plain = printable(shortened(text, _LONGEST)).replace("`", "'").replace("|", "\\|").strip()
    plain = plain.encode(errors="replace").decode()
    return f"`{plain}`" if plain else ""
