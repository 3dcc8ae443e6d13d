"""A chat model with scripted answers: no network, no key, plausible token counts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

if TYPE_CHECKING:
    from collections.abc import Sequence

THINKING_S = 0.12
"""Duration of an answer, so that the trace has visible durations."""


class ScriptedChatModel(BaseChatModel):
    """Returns its answers one after the other, with usage estimated from the texts."""

    answers: list[AIMessage]
    model_name: str = "scripted-1"
    _next: int = PrivateAttr(0)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, _tools: Sequence[Any], **_: Any) -> ScriptedChatModel:  # type: ignore[override]  # returns itself
        """Accept the tools; the script determines the calls."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        time.sleep(THINKING_S)
        answer = self.answers[self._next % len(self.answers)]
        self._next += 1
        read = 20 + sum(_tokens(message) for message in messages)
        written = 8 + _tokens(answer)
        usage = UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
        metadata = {"model_name": self.model_name, "finish_reason": "stop"}
        message = answer.model_copy(update={"usage_metadata": usage, "response_metadata": metadata})
        return ChatResult(generations=[ChatGeneration(message=message)])


def calls_tool(name: str, **arguments: Any) -> AIMessage:
    """Return an answer with one tool call."""
    call = {"name": name, "args": arguments, "id": f"call_{uuid4().hex[:8]}"}
    return AIMessage("", tool_calls=[call])


def _tokens(message: BaseMessage) -> int:
    return len(str(message.content)) // 4 + 10 * len(getattr(message, "tool_calls", ()))
