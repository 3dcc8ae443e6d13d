"""The records for annotation queues: a queue, its items, and the progress of annotators."""

from typing import Annotated

from pydantic import Field

from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, From, Other, Stored
from spanloom.core.records.record import Record, example_of

_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


class GoldItem(Record):
    """How often one annotator gave the known answers."""

    answers: Annotated[
        int, Field(description="Known answers for items that the annotator has done."), Example(12)
    ]
    right: Annotated[
        int, Field(description="Of these, the answers that the annotator gave too."), Example(11)
    ]


class ProgressItem(Record):
    """The progress of one annotator."""

    assigned: Annotated[int, Example(40)]
    done: Annotated[int, Example(3)]
    timed: Annotated[
        int, Field(description="Number of done items with a recorded beginning."), Example(3)
    ]
    seconds: Annotated[
        float, Field(description="From beginning to done, summed over timed items."), Example(512.5)
    ]
    median_seconds: Annotated[
        float | None,
        Field(description="The median over timed items; null if there are none."),
        Example(140.2),
    ]
    gold: Annotated[
        GoldItem | None,
        Field(description="For one queue: comparison with known answers; null if there are none."),
        From(None),
        Example(example_of(GoldItem)),
    ] = None


class QueueItem(Record):
    """A queue and its progress."""

    name: Annotated[str, Example("week 3")]
    project: Annotated[str, Example("default")]
    scheme: Annotated[str, Example("potato")]
    mode: Annotated[
        str,
        Field(description="`assigned`, or `free`: the next annotator to request an item gets it."),
        From("mode.value"),
        Example("assigned"),
    ]
    annotators: Annotated[
        list[str], From(lambda queue: list(queue.annotators)), Example(["ada", "bo"])
    ]
    each: Annotated[int, Example(2)]
    blind: Annotated[bool, From("is_blind"), Example(True)]
    order: Annotated[str, From("order.value"), Example("oldest")]
    away: Annotated[list[str], From(lambda queue: list(queue.away)), Example([])]
    threshold: Annotated[
        float | None,
        Field(description="Items with a smaller share of steps judged alike are adjudicated."),
        Example(0.8),
    ] = None
    sample: Annotated[
        float, Field(description="Share of items that are always adjudicated."), Example(0.1)
    ]
    where: Annotated[
        str,
        Field(description="Which runs a living queue adds; otherwise empty."),
        Example("tool_steps >= 3"),
    ]
    living: Annotated[
        bool,
        Field(description="Whether it keeps adding the runs that match `where`."),
        From("is_living"),
        Example(True),
    ]
    instructions: Annotated[str, Example("Judge every step.")]
    items: Annotated[int, From(None), Example(40)]
    overlap: Annotated[
        int,
        Field(description="Items that two or more annotators are done with."),
        From(None),
        Example(3),
    ]
    states: Annotated[
        dict[str, int],
        Field(description="Number of items by state."),
        From(None),
        Example({"begun": 2, "done": 3, "open": 35}),
    ]
    progress: Annotated[
        dict[str, ProgressItem], From(None), Example({"ada": example_of(ProgressItem)})
    ]


class QueuedRun(Record):
    """A trajectory in a queue."""

    trace_id: Annotated[str, Stored("TraceId", "String", "Trace id."), Example(_TRACE)]
    version: Annotated[
        int,
        Field(description="When it was put in."),
        Stored("Version", "UInt32", "Version of the trajectory when it was put in."),
        Example(1),
    ]
    state: Annotated[
        str,
        Field(description="open, begun, done, to_adjudicate or adjudicated."),
        From(None),
        Example("begun"),
    ]
    annotators: Annotated[list[str], From(None), Example(["ada", "bo"])]
    done_by: Annotated[list[str], From(None), Example(["ada"])]
    failures: Annotated[
        int,
        Field(description="When it was put in."),
        Stored("Failures", "UInt32", "What had failed in it when it was put in."),
        Example(2),
    ]
    gold: Annotated[
        bool,
        Field(description="Whether its answers are known; hidden from annotators."),
        From(None),
        Example(False),
    ]
    alike: Annotated[
        float | None,
        Field(
            description="Share of steps judged alike, once it is done; null if no step is shared."
        ),
        From(None),
        Example(None),
    ] = None


class QueuePlace(Record):
    """The position of one annotator in a queue, at one of its items."""

    queue: Annotated[str, From("name"), Example("week 3")]
    scheme: Annotated[str, Example("potato")]
    instructions: Annotated[str, Example("Judge every step.")]
    blind: Annotated[bool, From("is_blind"), Example(True)]
    item: Annotated[QueuedRun, From(None)]
    is_mine: Annotated[
        bool, Field(description="Whether the annotator is to judge it."), From(None), Example(True)
    ]
    at: Annotated[
        int,
        Field(
            description="Number of the item among the annotator's items, from 1; 0: not among them."
        ),
        From(None),
        Example(4),
    ]
    of: Annotated[
        int,
        Field(description="Number of items that the annotator has, or may take."),
        From(None),
        Example(40),
    ]
    done: Annotated[
        int,
        Field(description="Number of these items that the annotator is done with."),
        From(None),
        Example(3),
    ]


class NextRun(Record):
    """The next item of an annotator."""

    trace_id: Annotated[
        str | None, Field(description="Null: nothing is left."), Example(_TRACE)
    ] = None
    left: Annotated[
        int, Field(description="Number of items left, including this one."), Example(37)
    ]


OTHERS = (
    Other(Stored("Project", "LowCardinality(String)", "Tenant.")),
    Other(Stored("Queue", "String", "Name of the queue.")),
    Other(
        Stored(
            "Place",
            "UInt64",
            "Its place in the queue: what comes later stands behind.",
            codec="Delta, ZSTD(1)",
        ),
        name="place",
    ),
    Other(
        Stored("IsGold", "Bool", "Whether its answers are known: every annotator gets it."),
        name="is_gold",
    ),
)
"""Columns of items that the records do not have; the first two identify the queue."""

QUEUE = Declaration(QueueItem)
QUEUED_RUN = Declaration(QueuedRun, OTHERS, table="annotation_queue_items")
