"""Checks traces by a strict model of the rules in Snorkel's documentation (25.3)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, TypeAdapter
from pydantic import model_validator as validated

Plain = StrictStr | StrictBool | StrictInt | Annotated[float, Field(strict=True)]


class Step(BaseModel):
    """A step of a trace."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    step_type: StrictStr
    metadata: dict[str, Plain]
    value: Plain | None = None
    substeps: list[Step] = []
    substep_execution_type: Literal["serial", "parallel"] | None = "serial"
    metadata_expand: dict[str, StrictStr] | None = None

    @validated(mode="after")
    def has_value(self) -> Step:
        """Refuse a step without substeps and without value."""
        if not self.substeps and self.value is None:
            raise ValueError("a step without substeps needs a value")
        return self


class Trace(Step):
    """The root of a trace."""

    step_type: Literal["ROOT_STEP"]


_FILE = TypeAdapter(list[Trace])


def check(body: bytes) -> None:
    """Raise if the body is not an array of traces."""
    _FILE.validate_json(body)
