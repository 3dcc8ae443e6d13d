"""The record for a hit: a text that contains the words of a search."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, Moment, Read
from spanloom.core.records.record import Record


class Part(StrEnum):
    """Which text of a step."""

    INPUT = "input"
    OUTPUT = "output"
    ERROR = "error"


class Hit(Record):
    """A text that matches a search, at the step of its run where it first appears."""

    trace_id: Annotated[str, Example("4bf92f3577b34da6a3ce929d0e0e4736")]
    project: Annotated[str, Example("default")]
    started_at: Annotated[
        Moment, Field(description="When the run began, as in lists."), Example("1715400000000")
    ]
    step_id: Annotated[str, Example("a1c4e1b7d2f30004")]
    position: Annotated[
        int,
        Field(description="Number of the step in its run, from 1, by start."),
        Example(5),
    ]
    part: Annotated[Part, Field(description="Which text of the step."), Example("output")]
    type: Annotated[
        str,
        Field(description="Of the step: agent, model, tool or graph."),
        Read("Type"),
        Example("tool"),
    ]
    name: Annotated[str, Field(description="Of the step."), Read("Name"), Example("refund")]
    snippet: Annotated[
        str,
        Field(description="The text around the first match: plain text, never markup."),
        Example("error: the rate limit of 5 refunds a minute is reached"),
    ]
    offsets: Annotated[
        list[tuple[int, int]],
        Field(
            description="Matches in the snippet: for each its start and its end, which is "
            "exclusive, counted in Unicode code points."
        ),
        Example([[11, 21]]),
    ]


HIT = Declaration(Hit)
"""The declaration; SQL in ``Read`` applies to the table ``step_texts``."""
