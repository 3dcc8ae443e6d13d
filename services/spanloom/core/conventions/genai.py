"""Reads facts under the names of the GenAI conventions, from attributes and events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import meanings
from spanloom.core.conventions.usage import read_counts
from spanloom.core.model.span import Facts
from spanloom.core.values.attributes import (
    Json,
    first,
    json_text,
    json_value,
    pick,
    seconds_as_ms,
    written,
)
from spanloom.core.values.cut_json import read_cut
from spanloom.core.values.indexed import indexed_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


OFFERED_TOOLS = "gen_ai.tool.definitions"
"""The attribute with the tools that a model call or an agent could choose from."""
FIRST_CHUNK_S = (
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.client.operation.time_to_first_chunk",
    "lk.response.ttft",
    "metrics.ttfb",
)

_METADATA = {
    "gen_ai.provider.name": "provider",
    "gen_ai.system": "provider",
    "gen_ai.request.temperature": "temperature",
    "gen_ai.request.max_tokens": "max_tokens",
    "gen_ai.request.top_p": "top_p",
    "gen_ai.response.finish_reasons": "finish_reasons",
    "gen_ai.response.finish_reason": "finish_reasons",
    "gen_ai.response.id": "response_id",
    "gen_ai.tool.call.id": "tool_call_id",
    "gen_ai.tool.description": "tool_description",
    "gen_ai.workflow.name": "workflow_name",
    "gen_ai.retrieval.top_k": "top_k",
    "gen_ai.memory.store.id": "memory_store",
    "gen_ai.memory.record.id": "memory_record",
    "gen_ai.memory.record.count": "memory_records",
    "gen_ai.guardrail.policy.id": "guardrail_policy",
    "gen_ai.guardrail.source": "guardrail_source",
    "gen_ai.guardrail.result.type": "guardrail_result",
    "gen_ai.guardrail.result.reason": "guardrail_reason",
    "session.id": "session_id",
    "gen_ai.session.id": "session_id",
}


def read_metadata(attributes: Mapping[str, str]) -> dict[str, str]:
    """Return the request and response settings that a step displays."""
    return pick(attributes, _METADATA)


_CALL_TEXTS = frozenset({*meanings.CALL_INPUTS, *meanings.CALL_OUTPUTS})


def has_texts(keys: Iterable[str]) -> bool:
    """Return whether an attribute with one of these keys holds a model call's input or output."""
    return not _CALL_TEXTS.isdisjoint(keys)


def read_model_call(attributes: Mapping[str, str]) -> Facts:
    """Return the facts of a model call's span."""
    return Facts(
        input=read_input(attributes)
        or indexed_text(attributes, "gen_ai.prompt.")
        or _first_text(attributes, meanings.CALL_INPUTS)
        or indexed_text(attributes, "llm.prompts."),
        output=_messages(attributes, "gen_ai.output.messages")
        or indexed_text(attributes, "gen_ai.completion.")
        or _read_answer(attributes)
        or indexed_text(attributes, "llm.completions."),
        usage=read_counts(attributes),
        model=first(attributes, "gen_ai.response.model", "gen_ai.request.model"),
        first_token_ms=seconds_as_ms(first(attributes, *FIRST_CHUNK_S)),
        agent_name=attributes.get("gen_ai.agent.name", ""),
        response_id=attributes.get("gen_ai.response.id", ""),
        conversation_id=attributes.get("gen_ai.conversation.id", ""),
        metadata=read_metadata(attributes),
    )


def _first_text(attributes: Mapping[str, str], keys: Sequence[str]) -> str:
    """Return the first text under these keys; an empty list counts as absent."""
    for key in keys:
        if (text := attributes.get(key)) and text != "[]":
            return text
    return ""


def _read_answer(attributes: Mapping[str, str]) -> str:
    """Return the answer under a key outside the conventions, with tool calls from another key."""
    answer = _one_of_list(_first_text(attributes, meanings.CALL_OUTPUTS))
    listed = json_value(first(attributes, *meanings.CALLS_IN_ANSWER))
    calls = [c for c in listed if isinstance(c, dict)] if isinstance(listed, list) else []
    return write_answer(answer, calls)


def _one_of_list(answer: str) -> str:
    """Return ``Rome`` for ``["Rome"]``: Sentry's SDK writes a list with a text for each choice."""
    listed = json_value(answer) if answer.startswith('["') else None
    if isinstance(listed, list) and len(listed) == 1 and isinstance(listed[0], str):
        return listed[0]
    return answer


def write_answer(answer: str, calls: Sequence[dict[str, Json]]) -> str:
    """Return an answer's text; with tool calls, a message in the format of OpenAI or the AI SDK."""
    if not calls:
        return answer
    content: list[Json] = [{"type": "text", "text": answer}] if answer else []
    if any("toolName" in call for call in calls):  # format of the AI SDK
        content += [{**call, "type": "tool-call"} for call in calls]
        return written([{"role": "assistant", "content": content}])
    return written([{"role": "assistant", "content": answer, "tool_calls": list[Json](calls)}])


def read_input(attributes: Mapping[str, str]) -> str:
    """Return the input messages, preceded by the system prompt, which is a separate attribute."""
    messages = _messages(attributes, "gen_ai.input.messages")
    system = attributes.get("gen_ai.system_instructions", "")
    if not system or '"role":"system"' in messages.replace(" ", "", 3):
        return messages
    is_whole = not system.startswith("[") or system.rstrip().endswith("]")
    if not is_whole and (left := read_cut(system)):
        system = json_text(left)
    is_parts = system.startswith("[")
    content = f'"parts":{system}' if is_parts else f'"content":{json_text(system)}'
    if messages and not messages.lstrip().startswith("["):
        messages = f'[{{"role":"user","content":{json_text(messages)}}}]'
    rest = messages.strip().removeprefix("[").lstrip() or "]"
    return f'[{{"role":"system",{content}}}{"" if rest.startswith("]") else ","}{rest}'


def _messages(attributes: Mapping[str, str], key: str) -> str:
    """Return the messages under ``key``; empty if missing or an empty list."""
    return "" if (messages := attributes.get(key, "")) == "[]" else messages


def read_tool_run(attributes: Mapping[str, str]) -> Facts:
    """Return the facts of a tool's span."""
    return Facts(
        input=first(attributes, *meanings.TOOL_INPUTS),
        output=first(attributes, *meanings.TOOL_OUTPUTS),
        tool_name=attributes.get("gen_ai.tool.name", ""),
        agent_name=attributes.get("gen_ai.agent.name", ""),
        conversation_id=attributes.get("gen_ai.conversation.id", ""),
        metadata=read_metadata(attributes),
    )


def read_agent_run(attributes: Mapping[str, str]) -> Facts:
    """Return the facts of an agent's or graph's span, except its usage.

    The usage is the sum of the model calls inside the span, which are reported separately.
    """
    return Facts(
        input=first(attributes, *meanings.AGENT_INPUTS),
        output=first(attributes, *meanings.AGENT_OUTPUTS),
        agent_name=attributes.get("gen_ai.agent.name", ""),
        conversation_id=attributes.get("gen_ai.conversation.id", ""),
        metadata=read_metadata(attributes),
    )
