"""Answers questions for reading alone: each is checked, fenced and run within limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import orjson

from spanloom.core.ports.sql import SqlAnswer, SqlError, SqlJob
from spanloom.sql import native
from spanloom.sql.fences import Fences
from spanloom.sql.settings import SqlLimits, clamp
from spanloom.sql.sight import SYSTEM, Sight, nothing_withheld
from spanloom.sql.statements import check, check_format, of_a_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.ports.sql import SqlEngine, SqlFacts, Tree
    from spanloom.sql.requests import Question
    from spanloom.sql.sight import Withheld

MAX_TEXT_BYTES = 256 * 1024
"""The longest statement, as ClickHouse's own default (``max_query_size``)."""


class Asker(NamedTuple):
    """Who asks, as far as an answer depends on it."""

    key_id: str
    project: str | None
    """The one project of the key; ``None``: all of them."""


class Outcome(NamedTuple):
    """An answer and the format that it is in; empty where the statement answers nothing."""

    answer: SqlAnswer
    format: str


class Statements(Protocol):
    """What the door asks; called in a thread, may raise ``SqlError``."""

    @property
    def facts(self) -> SqlFacts:
        """What every answer says of the engine."""
        ...

    def answer(self, question: Question, asker: Asker, tag: str) -> Outcome:
        """Run the statement of a question."""
        ...

    def cancel(self, tag: str) -> None:
        """End the statement of this tag, if it runs."""
        ...


class _Ready(NamedTuple):
    """A statement as it is run."""

    text: str
    format: str
    settings: dict[str, str]
    may_be_described: bool
    parameters: Mapping[str, str] = {}


class Reader:
    """``Statements`` that read, each caller's within what its key opens."""

    def __init__(
        self, engine: SqlEngine, limits: SqlLimits, withheld: Withheld = nothing_withheld
    ) -> None:
        """Whoever opened the engine closes it; ``withheld`` tells what blind queues withhold."""
        self._engine = engine
        self._limits = limits
        self._withheld = withheld

    @property
    def facts(self) -> SqlFacts:
        """See ``Statements``."""
        return self._engine.facts

    def answer(self, question: Question, asker: Asker, tag: str) -> Outcome:
        """See ``Statements``."""
        ready = self._ready(question, asker)
        settings = clamp({**question.settings, **ready.settings}, self._limits)
        fmt = check_format(ready.format or question.format)
        parameters = {**question.parameters, **ready.parameters}
        job = SqlJob(ready.text, fmt, settings, parameters, asker.project, tag)
        answer = self._engine.run(job)
        if len(answer.body) > self._limits.result_bytes:
            raise SqlError(396, "TOO_MANY_ROWS_OR_BYTES", "The answer is larger than it may be")
        if fmt != "Native":
            return Outcome(answer, fmt)
        body = answer.body
        if not body and ready.may_be_described:
            body = self._header(job)
        return Outcome(answer._replace(body=native.reframe(body, question.revision)), fmt)

    def cancel(self, tag: str) -> None:
        """See ``Statements``."""
        self._engine.cancel(tag)

    def _ready(self, question: Question, asker: Asker) -> _Ready:
        text = question.text
        if len(text.encode()) > MAX_TEXT_BYTES:
            raise SqlError(62, "SYNTAX_ERROR", f"A statement may have {MAX_TEXT_BYTES} bytes")
        if "\0" in text:  # where it would end, for all we know
            raise SqlError(62, "SYNTAX_ERROR", "A statement has no zero bytes: write \\0")
        sight = Sight(self._engine, asker.project, self._withheld)
        fences = Fences(self._engine, sight, self._database(question.database))
        tree = self._engine.parse(text)
        if tree is None:
            return self._about_a_table(text, fences)
        return self._fenced(tree, fences)._replace(parameters=sight.parameters)

    def _fenced(self, tree: Tree, fences: Fences) -> _Ready:
        checked = check(tree)
        written = self._engine.write(fences.around(checked.tree))
        is_select = tree["type"].startswith("Select")
        return _Ready(written, checked.format, dict(checked.settings), is_select)

    def _about_a_table(self, text: str, fences: Fences) -> _Ready:
        asked = of_a_table(self._engine.plain(text))
        try:
            name = fences.named(asked.name.split("."))
        except SqlError:
            if not asked.verb.startswith("EXISTS"):
                raise
            return _Ready("SELECT toUInt8(0) AS result", asked.format, {}, may_be_described=False)
        return _Ready(
            f"{asked.verb} {name.database}.{name.table}", asked.format, {}, may_be_described=False
        )

    def _database(self, name: str) -> str:
        if name in ("", "default", self._engine.database):
            return self._engine.database
        if name == SYSTEM:
            return name
        raise SqlError(81, "UNKNOWN_DATABASE", f"Database {name} does not exist")

    def _header(self, job: SqlJob) -> bytes:
        """Return the columns of an answer without rows: the engine writes nothing for it."""
        described = self._engine.run(
            job._replace(text=f"DESCRIBE TABLE ({job.text})", format="JSONCompactEachRow")
        )
        rows = map(orjson.loads, described.body.splitlines())
        return native.header((name, kind) for name, kind, *_ in rows)
