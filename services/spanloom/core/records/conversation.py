"""The record for a conversation in lists, which summarizes all its runs."""

from typing import Annotated

from pydantic import Field

from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, Milliseconds, Moment, Summed
from spanloom.core.records.record import Record


class LastRun(Record):
    """The newest run of a conversation."""

    trace_id: Annotated[str, Example("4bf92f3577b34da6a3ce929d0e0e4736")]
    started_at: Annotated[
        Moment, Field(description="Milliseconds since the epoch."), Example("1715400000000")
    ]
    duration: Annotated[Milliseconds, Field(description="Milliseconds."), Example("4500")]
    status: Annotated[Status, Example("settled")]
    outcome: Annotated[
        Outcome, Field(description="`paused`: it waits for a person."), Example("ok")
    ]


class ConversationItem(Record):
    """One line of the list of conversations: a summary of all its runs."""

    conversation_id: Annotated[str, Example("trip-to-shanghai")]
    project: Annotated[str, Example("default")]
    runs: Annotated[
        int,
        Field(description="Number of runs, without runs that repeat another."),
        Summed("1"),
        Example(3),
    ]
    started_at: Annotated[
        Moment, Field(description="When its first run began."), Example("1715399000000")
    ]
    question: Annotated[
        str,
        Field(description="The first question, one line of at most 200 characters."),
        Example("Three days in Shanghai, from Saturday: what should I see?"),
    ]
    answer: Annotated[
        str,
        Field(description="The answer of the last run; empty if there is none."),
        Example("Booked: two seats on the night train."),
    ]
    user_id: Annotated[
        str | None,
        Field(description="The user of its newest run that names one."),
        Example("user-ada"),
    ] = None
    input_tokens: Annotated[
        int, Field(description="Of all its runs."), Summed("InputTokens"), Example(1950)
    ]
    output_tokens: Annotated[
        int, Field(description="Of all its runs."), Summed("OutputTokens"), Example(780)
    ]
    failed_runs: Annotated[
        int,
        Field(description="Runs with a failure that was not recovered."),
        Summed("HasError"),
        Example(1),
    ]
    cost: Annotated[
        float,
        Field(description="Of all its runs whose price is known, in US dollars."),
        Summed("ifNull(Cost, 0)"),
        Example(0.0123),
    ]
    last_run: Annotated[LastRun, Field(description="Its newest run.")]


CONVERSATION = Declaration(ConversationItem)
