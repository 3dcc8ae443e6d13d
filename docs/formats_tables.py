"""The tables of formats in ``export.md``: a line for each that the registry declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.formats.entry import Format, Of, Via
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HEAD = ("format", "by", "media type", "file", "direction", "in pieces", "needs", "what it is")
TITLES = {
    Of.RUN: "One run: `/v1/trajectories/{trace_id}`",
    Of.RUNS: "Many runs: `spanloom export`, `spanloom import`",
    Of.ROWS: "Rows of a list",
    Of.ANNOTATIONS: "Annotations: `/v1/annotations`, `spanloom annotations export` and `import`",
    Of.CONVERSATION: "A conversation: `/v1/conversations/{conversation_id}`",
}
_WAYS = {Via.QUERY: "`?format=`", Via.ACCEPT: "`Accept`", Via.SHELL: "`--format`"}


def subjects() -> Iterator[tuple[str, Sequence[Sequence[str]]]]:
    """Yield a title for each subject, and the rows of its formats."""
    for of, title in TITLES.items():
        yield title, [_row(known) for known in formats_of(of).values()]


def _row(known: Format) -> Sequence[str]:
    ways = [name for via, name in _WAYS.items() if via in known.via]
    if known.path:
        ways.append(f"`/{known.path}`")
    directions = {"out": known.is_written, "in": known.is_read}
    return (
        f"`{known.id}`",
        ", ".join(ways),
        f"`{known.media_type}`",
        f"`{known.suffix}`" if known.suffix else "folder",
        ", ".join(name for name, is_so in directions.items() if is_so),
        "yes" if known.streams else "",
        f"`spanloom[{known.extra}]`" if known.extra else "",
        known.description.replace("|", "\\|"),
    )
