"""What a field of a record declares beside its type, in its ``Annotated``.

::

    version: Annotated[
        int,
        Field(description="Grows with every change."),
        Stored("Version", "UInt32", "Version of the trajectory.", lambda run: run.version),
        Asked("version", "How many times it has been built.", "version > 1"),
        Example(1),
        Group.CORE,
    ]
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated

from pydantic import PlainSerializer, WithJsonSchema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.records.built import BuiltRun, BuiltSteps


class Timed(Enum):
    """That an integer counts milliseconds, which the store counts in nanoseconds."""

    LENGTH = "length"
    MOMENT = "moment"
    """Since the epoch."""


_AS_TEXT = PlainSerializer(str, when_used="json")
_DIGITS = WithJsonSchema({"type": "string", "pattern": "^[0-9]+$"})
Milliseconds = Annotated[int, Timed.LENGTH, _AS_TEXT, _DIGITS]
"""A length; a text on the wire, where JavaScript would round a number."""
Moment = Annotated[int, Timed.MOMENT, _AS_TEXT, _DIGITS]
"""A point in time: milliseconds since the epoch; a text on the wire."""


class FieldType(Enum):
    """What the values of a field are in a ``where``."""

    TEXT = "text"
    WORDS = "words"
    """A long text: only its words can be asked for."""
    CHOICE = "choice"
    """One of a few words, which need no quotes."""
    INTEGER = "integer"
    NUMBER = "number"
    DURATION = "duration"
    TIME = "time"
    FLAG = "flag"


class Group(Enum):
    """A group of columns that ``fields=`` names."""

    CORE = "core"
    METRICS = "metrics"


class Tables(Enum):
    """Which tables have a column of a run."""

    BOTH = ("trajectories", "trajectory_list")
    DOCUMENTS = ("trajectories",)
    LIST = ("trajectory_list",)


@dataclass(frozen=True, slots=True)
class Stored:
    """A column of a run in ClickHouse."""

    column: str
    type: str
    comment: str
    value: Callable[[BuiltRun], object] | None = None
    """What a row has there; ``None``: where rows are made says it, as of several columns at once,
    or the table does."""
    tables: Tables = Tables.BOTH
    codec: str = "ZSTD(1)"
    """Not of ``LowCardinality``, which has none."""
    default: str = ""
    """What rows without it have, as SQL."""

    @property
    def definition(self) -> str:
        """The column as ``ADD COLUMN`` takes it."""
        default = f" DEFAULT {self.default}" if self.default else ""
        codec = "" if self.type.startswith("LowCardinality") else f" CODEC({self.codec})"
        comment = self.comment.replace("\\", "\\\\").replace("'", "\\'")
        return f"`{self.column}` {self.type}{default}{codec} COMMENT '{comment}'"


@dataclass(frozen=True, slots=True)
class StoredCounts:
    """Columns that one field of a run holds as a mapping."""

    columns: Mapping[str, Other]


@dataclass(frozen=True, slots=True)
class StoredSteps:
    """A column of ``trajectory_list`` that has an item for each step of a run."""

    item: str
    """The column is ``Steps.Name`` for ``Name``; one item of it is ``StepName`` in SQL."""
    type: str
    """Of one item."""
    comment: str
    values: Callable[[BuiltSteps], Sequence[object]] | None = None
    """The items of a run; ``None``: where rows are made says it."""

    @property
    def column(self) -> str:
        """Its name in the table."""
        return f"Steps.{self.item}"

    @property
    def definition(self) -> str:
        """The column as ``ADD COLUMN`` takes it."""
        comment = self.comment.replace("\\", "\\\\").replace("'", "\\'")
        return f"`{self.column}` Array({self.type}) CODEC(ZSTD(1)) COMMENT '{comment}'"


@dataclass(frozen=True, slots=True)
class Read:
    """How a field of a step is read: SQL over the run's columns and items such as ``StepName``."""

    sql: str


@dataclass(frozen=True, slots=True)
class Asked:
    """How a ``where`` names a field; what is left out follows from its type and its column."""

    name: str
    description: str
    example: str = ""
    """A comparison with it, as it is written; of a flag its name."""
    type: FieldType | None = None
    sql: str = ""
    """Its value, never NULL; of a list an array. Empty: the column."""
    is_there: str = ""
    """Under which condition it has a value; empty: if its type can be without one."""
    is_list: bool = False
    """Whether it has several values; then one that meets the condition is enough."""
    choices: Sequence[str] = ()
    has_keys: bool = False
    """Whether it is a mapping, asked by key: ``metadata.tier``."""
    is_said: bool = False
    """Whether people and evaluators say it: it is kept apart from the run."""


@dataclass(frozen=True, slots=True)
class Example:
    """What the documentation shows as its value."""

    value: object


@dataclass(frozen=True, slots=True)
class Other:
    """What is stored or can be asked for, and is no field of the record."""

    stored: Stored | StoredSteps | None = None
    asked: Asked | None = None
