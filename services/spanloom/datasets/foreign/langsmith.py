"""Converts examples of LangSmith datasets to items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.messages.reading import is_message_list
from spanloom.core.formats.readers import an_object
from spanloom.datasets.foreign.row import Draft, is_present, key_of, others

if TYPE_CHECKING:
    from spanloom.core.formats.json_bytes import Json
    from spanloom.datasets.foreign.row import Items

_MESSAGES, _INPUTS = "messages", "inputs"
_OUTPUTS = ("outputs", "reference_outputs")
_OWN = {"id", _INPUTS, *_OUTPUTS, "metadata", "split"}


def fits(value: Any) -> bool:  # any JSON value
    """Return whether a value is an example of a LangSmith dataset."""
    return isinstance(value, dict) and isinstance(value.get(_INPUTS), dict)


def read(value: Any) -> Items:  # any JSON value
    """Yield the item for an example."""
    row = an_object(value, "the example")
    inputs = an_object(row.get(_INPUTS), _INPUTS)
    if not is_present(inputs):
        raise InvalidRequestError(f"{_INPUTS}: it is empty")
    outputs_name = next((name for name in _OUTPUTS if is_present(row.get(name))), _OUTPUTS[0])
    metadata = an_object(row.get("metadata") or {}, "metadata") | others(row, _OWN)
    yield Draft(
        key_of(row, "id"),
        _input(inputs),
        _expected(inputs, an_object(row.get(outputs_name) or {}, outputs_name)),
        metadata,
        _splits(row.get("split")),
    ).item()


def _input(inputs: Json) -> Any:  # any JSON value
    """Return the messages or the only text in an example's inputs; other inputs are unchanged."""
    if inputs.keys() == {_MESSAGES}:
        return inputs[_MESSAGES]
    only = next(iter(inputs.values())) if len(inputs) == 1 else None
    return only if isinstance(only, str) else inputs


def _expected(inputs: Json, outputs: Json) -> dict[str, Any]:  # JSON values
    """Return the members of ``expected``: the answer, messages as a trajectory, other outputs."""
    messages = outputs.get(_MESSAGES)
    if isinstance(messages, list) and is_message_list(messages):
        input_messages = inputs.get(_MESSAGES)
        before = (
            input_messages
            if isinstance(input_messages, list) and is_message_list(input_messages)
            else []
        )
        answers = [one["content"] for one in messages if _is_answer(one)]
        answer = {"response": answers[-1]} if answers else {}
        rest = {name: value for name, value in outputs.items() if name != _MESSAGES}
        return {**answer, "trajectory": [*before, *messages], **({"outputs": rest} if rest else {})}
    texts = [value for value in outputs.values() if isinstance(value, str)]
    if len(outputs) == 1 and texts:
        return {"response": texts[0]}
    return {"outputs": outputs} if outputs else {}


def _is_answer(message: Json) -> bool:
    content = message.get("content")
    return message.get("role") == "assistant" and isinstance(content, str) and bool(content)


def _splits(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str) and one]
