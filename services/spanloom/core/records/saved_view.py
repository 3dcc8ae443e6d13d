"""The record for a saved view."""

from typing import Annotated

from pydantic import Field

from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, From, Moment
from spanloom.core.records.record import Record

EXAMPLE_VIEW = "5b1f0c2d9e8a7463"


class ViewFault(Record):
    """Why a view cannot be used as it is."""

    parameter: Annotated[str, Field(description="The parameter at fault."), Example("where")]
    detail: Annotated[str, Example("there is no field 'colour' (at 0)")]


class ViewItem(Record):
    """A view of the page that a project has stored."""

    id: Annotated[str, Example(EXAMPLE_VIEW)]
    project: Annotated[str, Example("default")]
    page: Annotated[
        str,
        Field(description="`runs`, `steps`, `conversations` or `overview`."),
        Example("runs"),
    ]
    name: Annotated[str, Example("Failures of the week")]
    parameters: Annotated[
        dict[str, str],
        Field(description="The parameters of the page's address, as they were typed."),
        Example({"where": "outcome = failed", "since": "7d"}),
    ]
    owner: Annotated[
        str,
        Field(description="Who made it, as the client named them; empty if it did not."),
        Example("ada"),
    ]
    changed_by: Annotated[str, Field(description="Who changed it last."), Example("ada")]
    changed_at: Annotated[
        Moment,
        Field(description="Milliseconds since the epoch."),
        From(lambda view: view.at_us // 1_000),
        Example("1769860800000"),
    ]
    revision: Annotated[
        int,
        Field(description="Number of changes; a change names the revision that it replaces."),
        Example(1),
    ]
    format: Annotated[
        int, Field(description="Format of the parameters; newer formats are not read."), Example(1)
    ]
    default: Annotated[
        bool,
        Field(description="Whether the page opens with it if its address has no parameters."),
        From(None),
        Example(False),
    ]
    faults: Annotated[
        list[ViewFault],
        Field(
            description="Why it cannot be used as it is, for example because a field was removed."
        ),
        From(None),
        Example([]),
    ]


class ViewList(Record):
    """The views of a project."""

    items: list[ViewItem]


VIEW = Declaration(ViewItem)
