"""The one shape in which every model step shows its messages.

It is the chat message of OpenAI's API, which trainers, chat templates and evaluators read, with
``reasoning_content`` for thoughts (the name that DeepSeek, vLLM and most templates use).
``docs/messages.md`` describes it for users.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
"""What JSON text can hold."""


class FunctionCall(TypedDict):
    """What a model wants to be run."""

    name: str
    arguments: str
    """As the model wrote them; compact JSON where the instrumentation had taken them apart."""


class ToolCall(TypedDict):
    """One call that a model asks for."""

    id: NotRequired[str]
    type: Literal["function"]
    function: FunctionCall


class Message(TypedDict):
    """One message of a conversation; other keys are what the sender said beyond these."""

    role: str
    """``system``, ``developer``, ``user``, ``assistant`` or ``tool``; a foreign role as it is."""
    content: str | list[Json]
    """Text, else parts: ``text``, ``image_url``, ``input_audio``, ``file`` and foreign ones."""
    reasoning_content: NotRequired[str]
    tool_calls: NotRequired[list[ToolCall]]
    tool_call_id: NotRequired[str]
    name: NotRequired[str]
    finish_reason: NotRequired[str]
    refusal: NotRequired[str]
    status: NotRequired[str]
    """Of tool messages: ``error``, where the tool failed."""
    reasoning_details: NotRequired[list[Json]]
    """What belongs to the thoughts besides their text: signatures, encrypted thoughts."""
