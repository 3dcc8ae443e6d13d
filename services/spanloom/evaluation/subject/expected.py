"""The ``expected`` of a dataset item: answers, tool calls, a trajectory, retrieved documents."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from spanloom.core.errors import InvalidRequestError


class UnreadableExpectedError(InvalidRequestError):
    """A member of ``expected`` is malformed."""


class ExpectedCall(BaseModel):
    """A tool call that is expected."""

    model_config = ConfigDict(extra="forbid")

    name: str
    arguments: Any = Field(default_factory=dict, description="An object, or its JSON text.")


class ExpectedChunk(BaseModel):
    """A document that is expected to be retrieved."""

    model_config = ConfigDict(extra="ignore")

    doc_uri: str
    content: str = ""


class Expected(BaseModel):
    """The ``expected`` of a dataset item; other members are kept and not read."""

    model_config = ConfigDict(extra="allow")

    response: str | None = None
    facts: list[str] = []
    tool_calls: list[ExpectedCall] | None = None
    trajectory: Any = Field(None, description="A document, or OpenAI messages.")
    retrieved_context: list[ExpectedChunk] | None = None
    rules: Any = None


def read_expected(value: object) -> Expected:
    """Return the parsed ``expected``; raises ``UnreadableExpectedError`` that names the member."""
    try:
        return Expected.model_validate(value or {})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, ("expected", *first["loc"])))
        raise UnreadableExpectedError(f"{place}: {first['msg']}") from error
