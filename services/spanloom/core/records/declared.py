"""The classes of declarations in the ``Annotated`` type of a record's field.

::

    version: Annotated[
        int,
        Field(description="Grows with every change."),
        Stored("Version", "UInt32", "Version of the trajectory.", lambda run: run.version),
        Queried("version", "How many times it has been built.", "version > 1"),
        Example(1),
        Group.CORE,
    ]
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from pydantic import PlainSerializer, WithJsonSchema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.step import Step
    from spanloom.core.model.trajectory import Status, Trajectory


class Timed(Enum):
    """Declares that an integer is a time in milliseconds, stored in nanoseconds."""

    LENGTH = "length"
    MOMENT = "moment"
    """A time since the epoch."""


_AS_TEXT = PlainSerializer(str, when_used="json")
_DIGITS = WithJsonSchema({"type": "string", "pattern": "^[0-9]+$"})
PLAIN_TEXT = WithJsonSchema({"type": "string"})
"""Declares that the schema of a moment does not restrict the string to digits."""
Milliseconds = Annotated[int, Timed.LENGTH, _AS_TEXT, _DIGITS]
"""A duration; a string in JSON, because JavaScript would round a number."""
Moment = Annotated[int, Timed.MOMENT, _AS_TEXT, _DIGITS]
"""A point in time: milliseconds since the epoch; a string in JSON."""


class FieldType(Enum):
    """The type of a field's values in a ``where``."""

    TEXT = "text"
    WORDS = "words"
    """A long text, in which a query can only search for words."""
    CHOICE = "choice"
    """One of a few values, which need no quotes."""
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
    """A column of a record in ClickHouse."""

    column: str
    type: str
    comment: str
    value: Callable[[Any], object] | None = None
    """Computes the value from a ``BuiltRun``, or from the object from which the record is made.

    If ``None``, the table computes the value, or the code that makes the rows, for example for
    several columns at once.
    """
    tables: Tables = Tables.BOTH
    """For a run: the tables with the column; any other record declares its only table."""
    codec: str = "ZSTD(1)"
    """Ignored for ``LowCardinality``, which has no codec."""
    default: str = ""
    """The value for rows that were stored before the column existed, as SQL."""

    @property
    def definition(self) -> str:
        """The column definition for ``ADD COLUMN``."""
        default = f" DEFAULT {self.default}" if self.default else ""
        codec = "" if self.type.startswith("LowCardinality") else f" CODEC({self.codec})"
        comment = self.comment.replace("\\", "\\\\").replace("'", "\\'")
        return f"`{self.column}` {self.type}{default}{codec} COMMENT '{comment}'"


@dataclass(frozen=True, slots=True)
class StoredCounts:
    """Columns that a field of a run combines into a mapping."""

    columns: Mapping[str, Other]


@dataclass(frozen=True, slots=True)
class StoredSteps:
    """A column of ``trajectory_list`` with an item for each step of a run."""

    item: str
    """The name of an item: for ``Name`` the column is ``Steps.Name``.

    In SQL, the item for a single step is ``StepName``.
    """
    type: str
    """The type of an item."""
    comment: str
    values: Callable[[BuiltSteps], Sequence[object]] | None = None
    """Computes the items for a run; if ``None``, the code that makes the rows sets them."""

    @property
    def column(self) -> str:
        """The column's name in the table."""
        return f"Steps.{self.item}"

    @property
    def definition(self) -> str:
        """The column definition for ``ADD COLUMN``."""
        comment = self.comment.replace("\\", "\\\\").replace("'", "\\'")
        return f"`{self.column}` Array({self.type}) CODEC(ZSTD(1)) COMMENT '{comment}'"


@dataclass(frozen=True, slots=True)
class Read:
    """The SQL that computes a field from the columns of a query.

    For a field of a step, the columns are the run's columns and items such as ``StepName``.
    """

    sql: str


@dataclass(frozen=True, slots=True)
class Summed:
    """The SQL that computes a field of a conversation: an expression summed over its runs."""

    sql: str


@dataclass(frozen=True, slots=True)
class From:
    """How a field is computed from the object from which the record is made.

    Without this declaration, a field is the attribute of the object with the same name.
    """

    take: Callable[[Any], object] | str | None
    """A function that takes the object, or the path of an attribute: ``"slot.scheme"``.

    If ``None``, the code that makes the record passes the value.
    """


class Requested:
    """How a request sets a field; a field without this declaration is only in answers."""

    def __init__(self, kind: Any = None, *, default: Any = None, **differing: Any) -> None:
        """Use pydantic's ``Field`` with the arguments that differ from the field of an answer.

        These are the bounds of the value, and texts of the documentation. ``kind`` is the type, by
        default the type in answers. Null is allowed if it is the ``default``.
        """
        self.kind = kind
        self.default = default
        self.differing = differing


class Row(Protocol):
    """The columns of a run, keyed by name, or the items of one step: ``Name``, ``Place``."""

    def __getitem__(self, column: str, /) -> Any:  # of the column's type
        """Return the value of a column; for ``Steps.Name`` of a run it is a list."""
        ...


@dataclass(frozen=True, slots=True)
class Queried:
    """How a field is used in a ``where``; omitted members are derived from type and column."""

    name: str
    description: str
    example: str = ""
    """A comparison with the field as written in a query; for a flag, its name."""
    type: FieldType | None = None
    sql: str = ""
    """SQL that computes the value, never NULL, an array for a list; if empty, the column."""
    is_there: str = ""
    """SQL for the condition that the field has a value; if empty, derived from its type."""
    value: Callable[[Row], Any] | None = None
    """Computes the same value as ``sql``, in Python, from a row; returns ``None`` for no value.

    By default it reads the column. An empty text is no value.
    """
    is_list: bool = False
    """Whether the field has several values; a comparison is true if it is true for any value."""
    choices: Sequence[str] = ()
    has_keys: bool = False
    """Whether the field is a mapping, whose keys follow a dot: ``metadata.tier``."""
    is_judgement: bool = False
    """Whether the value comes from annotations or scores, which are in other tables."""


@dataclass(frozen=True, slots=True)
class Example:
    """The example value of a field, for the documentation."""

    value: object


@dataclass(frozen=True, slots=True)
class Other:
    """A column or a field of ``where`` that is not a field of the record."""

    stored: Stored | StoredSteps | None = None
    queried: Queried | None = None
    name: str = ""
    """The path of the attribute with the value of the column, for example ``"anchor.ordinal"``."""


class BuiltRun(Protocol):
    """A version of a trajectory to be stored, with data extracted from its texts."""

    trajectory: Trajectory
    version: int
    rank: int
    """The build's rank among the builds of its trace."""
    seq: int
    """The newest sequence among its spans."""
    status: Status

    @property
    def agent_names(self) -> list[str]:
        """The names of its agents, in the order of their starts."""
        ...

    @property
    def question(self) -> str:
        """The user's question, shortened to one line."""
        ...

    @property
    def answer(self) -> str:
        """The answer, shortened to one line."""
        ...


@dataclass(frozen=True, slots=True)
class BuiltSteps:
    """The steps of a run in order, and the position of each in the tree; positions count from 1."""

    start_ns: int
    """Start of the run, in nanoseconds since the epoch."""
    steps: Sequence[Step]
    parents: Sequence[int]
    agents: Sequence[int]
    enters: Sequence[int]
    exits: Sequence[int]
    args: Sequence[int]
