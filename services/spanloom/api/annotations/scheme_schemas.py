"""Request and response models of annotation schemes."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from spanloom.core.annotation.scheme import Scheme
from spanloom.core.annotation.scheme_reader import SchemeReading
from spanloom.core.records.scheme import EXAMPLE_SCHEME, CheckedScheme, SchemeItem, SchemeRemark


class SchemeText(BaseModel):
    """A scheme as it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: Annotated[
        str,
        Field(
            max_length=60_000,
            description="YAML or JSON: one scheme, a list, or a whole configuration of Potato.",
            examples=[EXAMPLE_SCHEME],
        ),
    ]


class CheckedSchemes(BaseModel):
    """The schemes of a text."""

    schemes: list[CheckedScheme]


def stored_scheme(project: str, reading: SchemeReading, put_by: str, at_us: int) -> SchemeItem:
    """Return a stored scheme; ``at_us`` is microseconds since the epoch."""
    remarks = list(map(SchemeRemark.made_of, reading.remarks))
    put = {"put_at": str(at_us // 1_000), "put_by": put_by}
    return SchemeItem.made_of(reading.scheme, project=project, remarks=remarks, **put)


def preset(scheme: Scheme) -> SchemeItem:
    """Return a scheme that comes with Spanloom."""
    return SchemeItem.made_of(scheme, put_by="", remarks=[])
