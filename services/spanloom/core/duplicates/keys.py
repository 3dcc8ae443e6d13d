"""Makes the keys by which two reports of one call are found: fingerprints of the call's content."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import orjson

from spanloom.core.model.message import functions_of, read_conversation, texts_of
from spanloom.core.values.attributes import json_object, json_text, json_value
from spanloom.core.values.python_repr import as_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.message import Json
    from spanloom.core.model.step import Step


_IN_RUN, _ALONE = "tool:", "lone:"


def make_call_key(step: Step) -> str:
    """Return the key of a model call; empty if there is nothing to compare.

    The key includes the answer only if a token count is missing, because Anthropic's SDK reports
    its calls without texts.
    """
    usage = step.usage
    if usage and usage.input_tokens and usage.output_tokens:
        evidence = f"{usage.input_tokens}:{usage.output_tokens}"
    elif usage and (usage.input_tokens or usage.output_tokens):
        evidence = f"{usage.input_tokens}:{usage.output_tokens}:{_answer_text(step.output)}"
    elif step.error is not None:
        evidence = f"error:{step.error.code}"
    elif answer := _answer_text(step.output):
        evidence = f"said:{answer}"
    else:
        return ""
    return _digest(evidence)


def make_tool_key(step: Step, *, is_alone: bool) -> str:
    """Return a key made from a tool run's name and arguments, or from a retrieval's query.

    ``is_alone`` means that the trace has no model calls. The key of a retrieval excludes its name,
    because instrumentations name it after its class, span or store. The key is empty for embeddings
    and for retrievals without a query.
    """
    kind = step.metadata.get("tool_kind", "")
    if kind:
        evidence = f"{kind}:{query}" if kind == "retrieval" and (query := _query(step)) else ""
    else:
        values = "\n".join(argument_values(step.input))
        evidence = f"run:{step.name}:{values}"
    return f"{_ALONE if is_alone else _IN_RUN}{_digest(evidence)}" if evidence else ""


def is_tool(call_key: str) -> bool:
    """Return whether the key belongs to a tool run."""
    return call_key.startswith((_IN_RUN, _ALONE))


def is_alone(call_key: str) -> bool:
    """Return whether the key belongs to a tool run in a trace without model calls."""
    return call_key.startswith(_ALONE)


def sought_key(call_key: str) -> str:
    """Return the key that another report of the same call has in another trace.

    For a tool run in a trace without model calls this is the key in a trace with model calls, and
    vice versa; a model call has the same key everywhere.
    """
    sort, colon, digest = call_key.rpartition(":")
    if not colon:
        return call_key
    return (_IN_RUN if sort + colon == _ALONE else _ALONE) + digest


def _digest(evidence: str) -> str:
    return hashlib.blake2b(evidence.encode(), digest_size=12).hexdigest()


def _answer_text(output: str) -> str:
    """Return a model's texts and tool calls, one per line, without its thoughts.

    Frameworks omit thoughts that clients report, and group messages differently.
    """
    messages = read_conversation(output)
    lines = [line.strip() for m in messages if isinstance(m, dict) for line in _lines(m)]
    return "\n".join(filter(None, lines)) if messages else output.strip()


def _lines(message: Mapping[str, Json]) -> Iterator[str]:
    yield from texts_of(message)
    for function in functions_of(message):
        yield f"{function.get('name')} {_arguments(function.get('arguments'))}"


def _arguments(payload: Json) -> str:
    """Return arguments as compact JSON with sorted keys, because SDKs format JSON differently."""
    if not isinstance(payload, str):
        return ""
    try:
        return orjson.dumps(orjson.loads(payload), option=orjson.OPT_SORT_KEYS).decode()
    except (ValueError, TypeError):
        return payload.strip()


def _query(step: Step) -> str:
    """Return a retrieval's query; some instrumentations report it in the arguments."""
    query = json_object(step.input).get("query", step.input)
    return query.strip() if isinstance(query, str) else ""


def argument_values(text: str) -> Sequence[str]:
    """Return a tool's argument values; a single value may be reported without its name."""
    arguments = json_value(as_json(text) if text.startswith("{'") else text)
    if not isinstance(arguments, dict):
        arguments = {"": arguments} if text else {}
    values = [arguments[name] for name in sorted(arguments)]
    return [v if isinstance(v, str) else json_text(v) for v in values]
