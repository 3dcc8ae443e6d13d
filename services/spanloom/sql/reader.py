"""Runs read-only statements: each is checked, restricted to visible rows, and limited."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import orjson

from spanloom.core.ports.sql import SqlAnswer, SqlError, SqlJob
from spanloom.sql import native
from spanloom.sql.fences import Fences
from spanloom.sql.settings import SqlLimits, clamp
from spanloom.sql.sight import SYSTEM, Sight, nothing_withheld
from spanloom.sql.statements import check, check_format, parse_table_statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.ports.sql import SqlEngine, SqlFacts, Tree
    from spanloom.sql.requests import Query
    from spanloom.sql.sight import Withheld

MAX_TEXT_BYTES = 256 * 1024
"""Maximum bytes of a statement, the default of ClickHouse's ``max_query_size``."""


class SqlCaller(NamedTuple):
    """The properties of the caller on which a response depends."""

    key_id: str
    project: str | None
    """The project of the key; ``None`` for all projects."""


class Outcome(NamedTuple):
    """A response and its format; empty if the statement has no result."""

    answer: SqlAnswer
    format: str


class Statements(Protocol):
    """Runs statements for the HTTP interface; called in a thread, may raise ``SqlError``."""

    @property
    def facts(self) -> SqlFacts:
        """The facts about the engine that every response has in its headers."""
        ...

    def answer(self, query: Query, caller: SqlCaller, tag: str) -> Outcome:
        """Run the statement of a query; ``tag`` identifies it for ``cancel``."""
        ...

    def cancel(self, tag: str) -> None:
        """End the statement with this tag, if it is running."""
        ...


class _Ready(NamedTuple):
    """A statement ready to run."""

    text: str
    format: str
    settings: dict[str, str]
    may_be_described: bool
    parameters: Mapping[str, str] = {}


class Reader:
    """Read-only ``Statements``, restricted to the rows that the caller's key may read."""

    def __init__(
        self, engine: SqlEngine, limits: SqlLimits, withheld: Withheld = nothing_withheld
    ) -> None:
        """Use ``engine``, which the caller closes; ``withheld`` returns the withheld traces."""
        self._engine = engine
        self._limits = limits
        self._withheld = withheld

    @property
    def facts(self) -> SqlFacts:
        """See ``Statements``."""
        return self._engine.facts

    def answer(self, query: Query, caller: SqlCaller, tag: str) -> Outcome:
        """See ``Statements``."""
        ready = self._ready(query, caller)
        settings = clamp({**query.settings, **ready.settings}, self._limits)
        fmt = check_format(ready.format or query.format)
        parameters = {**query.parameters, **ready.parameters}
        job = SqlJob(ready.text, fmt, settings, parameters, caller.project, tag)
        answer = self._engine.run(job)
        if len(answer.body) > self._limits.result_bytes:
            raise SqlError(396, "TOO_MANY_ROWS_OR_BYTES", "The answer is larger than it may be")
        if fmt != "Native":
            return Outcome(answer, fmt)
        body = answer.body
        if not body and ready.may_be_described:
            body = self._header(job)
        return Outcome(answer._replace(body=native.reframe(body, query.revision)), fmt)

    def cancel(self, tag: str) -> None:
        """See ``Statements``."""
        self._engine.cancel(tag)

    def _ready(self, query: Query, caller: SqlCaller) -> _Ready:
        text = query.text
        if len(text.encode()) > MAX_TEXT_BYTES:
            raise SqlError(62, "SYNTAX_ERROR", f"A statement may have {MAX_TEXT_BYTES} bytes")
        if "\0" in text:  # the engine might end the statement there
            raise SqlError(62, "SYNTAX_ERROR", "A statement has no zero bytes: write \\0")
        sight = Sight(self._engine, caller.project, self._withheld)
        fences = Fences(self._engine, sight, self._database(query.database))
        tree = self._engine.parse(text)
        if tree is None:
            return self._table_statement(text, fences)
        return self._fenced(tree, fences)._replace(parameters=sight.parameters)

    def _fenced(self, tree: Tree, fences: Fences) -> _Ready:
        checked = check(tree)
        written = self._engine.write(fences.around(checked.tree))
        is_select = tree["type"].startswith("Select")
        return _Ready(written, checked.format, dict(checked.settings), is_select)

    def _table_statement(self, text: str, fences: Fences) -> _Ready:
        statement = parse_table_statement(self._engine.plain(text))
        try:
            name = fences.named(statement.name.split("."))
        except SqlError:
            if not statement.verb.startswith("EXISTS"):
                raise
            return _Ready(
                "SELECT toUInt8(0) AS result", statement.format, {}, may_be_described=False
            )
        return _Ready(
            f"{statement.verb} {name.database}.{name.table}",
            statement.format,
            {},
            may_be_described=False,
        )

    def _database(self, name: str) -> str:
        if name in ("", "default", self._engine.database):
            return self._engine.database
        if name == SYSTEM:
            return name
        raise SqlError(81, "UNKNOWN_DATABASE", f"Database {name} does not exist")

    def _header(self, job: SqlJob) -> bytes:
        """Return the block header of a response without rows, which the engine does not write."""
        described = self._engine.run(
            job._replace(text=f"DESCRIBE TABLE ({job.text})", format="JSONCompactEachRow")
        )
        rows = map(orjson.loads, described.body.splitlines())
        return native.header((name, kind) for name, kind, *_ in rows)
