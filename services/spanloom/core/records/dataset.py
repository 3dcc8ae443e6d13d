"""The records for datasets: a dataset with its versions, and an item."""

from typing import Annotated, Any

from pydantic import Field

from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, From, Moment
from spanloom.core.records.record import Record

EXAMPLE_DATASET = "trips"
_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


class DatasetVersionItem(Record):
    """A version of a dataset, which never changes."""

    version: Annotated[int, Field(description="Its number, from 1."), Example(1)]
    items: Annotated[int, Field(description="Number of items."), Example(1)]
    at: Annotated[
        Moment,
        Field(description="When it was made: milliseconds since the epoch."),
        From(lambda version: version.at_us // 1_000),
        Example("1769860800000"),
    ]
    made_by: Annotated[
        str, Field(description="Who made it, as the client named them."), Example("ada")
    ]
    hash: Annotated[
        str,
        Field(description="Hash of its items: versions with the same items have the same hash."),
        Example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    ]


class DatasetItem(Record):
    """A dataset: a draft that changes, and versions that do not."""

    name: Annotated[str, Example(EXAMPLE_DATASET)]
    project: Annotated[str, Example("default")]
    description: Annotated[str, Field(description="What it is for."), Example("Trips to book")]
    evaluators: Annotated[
        list[dict[str, Any]],
        Field(description="Its evaluators, in the form of `spanloom.evaluate`."),
        From(None),
        Example([{"name": "path", "kind": "match", "mode": "in_order"}]),
    ]
    draft_items: Annotated[
        int, Field(description="Number of items of the draft."), From(None), Example(1)
    ]
    versions: Annotated[
        list[DatasetVersionItem], Field(description="Ordered by number."), From(None)
    ]
    put_by: Annotated[
        str, Field(description="Who stored it last, as the client named them."), Example("ada")
    ]
    put_at: Annotated[
        Moment,
        Field(description="Milliseconds since the epoch."),
        From(lambda dataset: dataset.at_us // 1_000),
        Example("1769860800000"),
    ]


class DatasetList(Record):
    """The datasets of a project, by name."""

    items: list[DatasetItem]


class DatasetRow(Record):
    """An item of a dataset: an input, and the values expected of a run."""

    item_key: Annotated[str, Field(description="Unique in its dataset."), Example(_TRACE)]
    set: Annotated[
        str, Field(description="Name of the dataset."), From(None), Example(EXAMPLE_DATASET)
    ]
    input: Annotated[
        Any, Field(description="What the agent is asked."), Example("Oslo or Bergen?")
    ] = None
    expected: Annotated[
        dict[str, Any] | None,
        Field(
            description="The expected values: `response`, `facts`, `tool_calls`, `trajectory` (a "
            "document), `retrieved_context`, `rules`."
        ),
        Example({"response": "Oslo", "tool_calls": [{"name": "search", "arguments": "{}"}]}),
    ] = None
    splits: Annotated[
        list[str], Field(description="Parts of the dataset that it is in."), Example(["test"])
    ]
    metadata: Annotated[
        dict[str, Any] | None, Field(description="Further data."), Example({"name": "planner"})
    ] = None
    source: Annotated[
        dict[str, Any] | None,
        Field(description="The run it was made from: `trace_id`, `project`, `version`, `step_id`."),
        Example({"trace_id": _TRACE, "project": "default", "version": 1, "step_id": None}),
    ] = None


DATASET = Declaration(DatasetItem)
DATASET_ROW = Declaration(DatasetRow)
