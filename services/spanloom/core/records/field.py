"""The records for fields in a ``where``, for their values, and for statistics."""

from typing import Annotated, Literal

from pydantic import Field

from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, From
from spanloom.core.records.record import Record

Of = Annotated[
    Literal["trajectories", "steps"],
    Field(description="The subject of the field.", examples=["steps"]),
]


class FieldItem(Record):
    """A field that `where` can name."""

    name: Annotated[str, Example("duration")]
    of: Annotated[Of, From(None), Example("trajectories")]
    type: Annotated[
        str, Field(description="The type of its values."), From("type.value"), Example("duration")
    ]
    description: Annotated[str, Example("From the start to the end of the root.")]
    operators: Annotated[
        list[str],
        Field(description="Operators that it can be compared with."),
        From(None),
        Example(["=", "!=", "<", "<=", ">", ">=", "in", "exists"]),
    ]
    example: Annotated[str, Field(description="A condition with it."), Example("duration > 20s")]
    choices: Annotated[
        list[str],
        Field(description="All its values, if they are few."),
        From(lambda field: list(field.choices)),
        Example([]),
    ]
    is_list: Annotated[bool, Field(description="Whether it has several values."), Example(False)]
    has_keys: Annotated[
        bool, Field(description="Whether it needs a key: `metadata.tier`."), Example(False)
    ]
    is_ordered: Annotated[
        bool, Field(description="Whether lists can be ordered by it."), From(None), Example(True)
    ]


class FieldList(Record):
    """Every field, of runs and of steps."""

    items: list[FieldItem]


class ValueItem(Record):
    """A value and how often it occurs."""

    value: Annotated[str | int | bool, Example("travel_planner")]
    count: Annotated[int, Field(description="Runs, or steps, that have it."), Example(12)]


class ValueList(Record):
    """Values of a field, the most frequent first."""

    items: list[ValueItem]


class Stats(Record):
    """Statistics of groups, ordered by time, or by the first number, largest first."""

    items: Annotated[
        list[dict[str, str | int | float | bool | None]],
        Field(
            description="One item per group: the values that define it, `start` of its interval "
            "in milliseconds since the epoch, and its numbers by name. Null: absent, or unknown. "
            "Durations are milliseconds."
        ),
        Example([{"model": "gpt-4o", "count": 12, "p95(duration)": 1840.5, "max(cost)": 0.21}]),
    ]
    truncated: Annotated[
        bool, Field(description="Whether there are more groups than in this list."), Example(False)
    ]


FIELD = Declaration(FieldItem)
