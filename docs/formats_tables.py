"""The tables of formats in ``export.md`` and ``formats/``: a row for each in the registry."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import TYPE_CHECKING

from spanloom.core.formats import losses
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
PAGES = Path(__file__).parent / "formats"
RUN_HEAD = (
    "format",
    "`?format=`",
    "`export`, `convert --to`",
    "`import`, `convert --from`",
    "what it is",
)
CODE_HEAD = ("code", "what it says")
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


def of_runs() -> Iterator[Sequence[str]]:
    """Yield a row for each format of runs: over HTTP, as a file, and for import."""
    documents, files = formats_of(Of.RUN), formats_of(Of.RUNS)
    by_line = {known.line: known for known in files.values() if known.line and not known.writer}
    for name in sorted(documents.keys() | files.keys() - {f.id for f in by_line.values()}):
        known, file = documents.get(name), files.get(name) or by_line.get(name)
        if known is not None and file is None:
            continue  # a page to read, not a format to exchange
        described = known or file
        assert described is not None  # noqa: S101  # one of both has the name
        yield (
            _linked(name),
            _over_http(known),
            _as_file(file),
            _in(file),
            described.description.replace("|", "\\|"),
        )


def _linked(name: str) -> str:
    return f"[`{name}`]({name}.md)" if (PAGES / f"{name}.md").exists() else f"`{name}`"


def _over_http(known: Format | None) -> str:
    if known is None:
        return ""
    return f"`{known.media_type}`" if Via.QUERY in known.via else f"at `/{known.path}`"


def _as_file(file: Format | None) -> str:
    if file is None or not file.is_written:
        return ""
    by_name = "; Parquet with `-o NAME.parquet`" if file.has_rows else ""
    layout = "a table" if file.writer else "a folder" if file.named else file.filed.value
    named = f"`{file.id}`: " if file.id != file.line and not file.writer else ""
    return named + layout + by_name


def _in(file: Format | None) -> str:
    return "yes" if file is not None and file.is_read else ""


def codes() -> Iterator[Sequence[str]]:
    """Yield every code of a loss with the sentence below it in ``losses.py``."""
    (declared,) = (
        node
        for node in ast.parse(inspect.getsource(losses)).body
        if isinstance(node, ast.ClassDef) and node.name == losses.Code.__name__
    )
    for code, said in zip(declared.body, declared.body[1:], strict=False):
        if isinstance(code, ast.Assign) and isinstance(said, ast.Expr):
            yield f"`{ast.literal_eval(code.value)}`", str(ast.literal_eval(said.value))
