"""Finds attributes of unknown senders by the ends of their keys: ``au.llm.input`` is an input.

Each vendor has its own prefix (``flue.turn.input``, ``_ml_obs.meta.input.messages``), but nearly
all keys end in one of a few words. Attributes with a known key take precedence.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions import meanings
from spanloom.core.conventions.operations import bare
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import decimal
from spanloom.core.values.bounds import ByteCache

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from spanloom.core.model.span import Facts

_INPUT, _OUTPUT, _ARGUMENTS, _RESULT = "input", "output", "arguments", "result"
_SIDES = {
    **dict.fromkeys(("input", "inputs", "request", "prompt", "prompts"), _INPUT),
    **dict.fromkeys(("messages", "query", "question", "chatctx"), _INPUT),
    **dict.fromkeys(("output", "outputs", "response", "responses"), _OUTPUT),
    **dict.fromkeys(("completion", "completions", "answer", "generation"), _OUTPUT),
    **dict.fromkeys(("arguments", "args", "parameters", "params", "toolargs"), _ARGUMENTS),
    **dict.fromkeys(("toolinput", "toolarguments", "kwargs"), _ARGUMENTS),
    **dict.fromkeys(("result", "results", "toolresult", "tooloutput"), _RESULT),
}
"""Meanings of a key's last word, or of the word before it if the last word is in ``_FORMS``."""
_FORMS = frozenset({"value", "messages", "text", "content", "data", "json", "message", "body"})
_MODEL = re.compile(r"^(?:\w+_)?model(?:_?(?:name|id))?$", re.IGNORECASE)
_NAMES = {
    **dict.fromkeys(("spankind", "spantype", "opkind", "observationtype", "runtype"), "kinds"),
    "entitytype": "entity_types",
    **dict.fromkeys(("toolname", "functionname"), "tool_names"),
    "agentname": "agent_names",
    "entityname": "entity_names",
    **dict.fromkeys(("usage", "usagemetadata", "tokenusage", "usagedetails"), "counts"),
}
"""Meanings of the last word of a key, or of its last two words together."""
_NO_VENDOR = re.compile(
    rf"^(?:{'|'.join(meanings.OTHER_CONVENTIONS)})\.|header|cookie", re.IGNORECASE
)
"""Matches keys of other conventions, headers and cookies, which end in the same words."""


class Endings(NamedTuple):
    """The keys of a span's attributes, grouped by meaning, in each group the shortest first."""

    kinds: Sequence[str] = ()
    entity_types: Sequence[str] = ()
    models: Sequence[str] = ()
    tool_names: Sequence[str] = ()
    agent_names: Sequence[str] = ()
    entity_names: Sequence[str] = ()
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()
    arguments: Sequence[str] = ()
    results: Sequence[str] = ()
    counts: Sequence[str] = ()
    """Keys of JSON values with all token counts of a model call."""


NAMES_KEPT = 8192
CACHE_BYTES = 4 * 2**20
_found: ByteCache[tuple[str, ...], Endings] = ByteCache(CACHE_BYTES)


def find_endings(keys: Collection[str]) -> Endings:
    """Return the keys, grouped by the meaning of their last words."""
    key = tuple(keys)
    return _found.get(key) or _found.keep(key, _find(key), 2_000 + sum(map(sys.getsizeof, key)))


def _find(keys: Sequence[str]) -> Endings:
    found: dict[str, list[str]] = {}
    for key in sorted(keys, key=lambda k: (len(k), k)):
        if len(key) <= meanings.MAX_KEY_CHARS:
            for meaning in _meanings(key):
                found.setdefault(meaning, []).append(key)
    return Endings(**found)


@lru_cache(maxsize=NAMES_KEPT)
def _meanings(key: str) -> Sequence[str]:
    if _NO_VENDOR.search(key) is not None:
        return ()
    words = re.split(r"[.:/]", key)
    last, before = bare(words[-1]), bare(words[-2]) if len(words) > 1 else ""
    if named := _NAMES.get(last) or _NAMES.get(before + last):
        return (named,)
    if _MODEL.match(words[-1]):
        return ("models",)
    places = _PLACES.get(_side(last, before), ())
    return places[:1] if _CONVERSING.search(key) else places


_CONVERSING = re.compile(r"messages|prompt|completion|chat_?ctx", re.IGNORECASE)
"""Words that occur in keys of model calls, but not in keys of tools."""
_PLACES = {
    _INPUT: ("inputs", "arguments"),
    _OUTPUT: ("outputs", "results"),
    _ARGUMENTS: ("arguments",),
    _RESULT: ("results",),
}


def _side(last: str, before: str) -> str:
    """Return the meaning of a key's last two words: ``output`` for ``output.messages``."""
    if last in _FORMS and before in _SIDES:
        return _SIDES[before]
    for form in _FORMS:
        stem = last.removesuffix(form)
        if stem != last and stem in _SIDES:
            return _SIDES[stem]
    return _SIDES.get(last, "")


def keys_read(attributes: Mapping[str, str]) -> Collection[str]:
    """Return the keys from which model, input or output is read if no known key has a value."""
    found = find_endings(attributes)
    sides = (
        (found.models, meanings.MODELS),
        (found.inputs, meanings.CALL_INPUTS),
        (found.outputs, meanings.CALL_OUTPUTS),
    )
    lacking = [keys for keys, known in sides if not any(map(attributes.get, known))]
    return {key for keys in lacking if (key := _first_key(attributes, keys))}


def complete_texts(facts: Facts, attributes: Mapping[str, str], kind: Kind) -> None:
    """Set missing input and output from attributes whose keys end in words such as ``input``."""
    if facts.input and facts.output:
        return
    found, is_tool = find_endings(attributes), kind is Kind.TOOL
    facts.input = facts.input or _first_text(
        attributes, found.arguments if is_tool else found.inputs
    )
    facts.output = facts.output or _first_text(
        attributes, found.results if is_tool else found.outputs
    )


def _first_text(attributes: Mapping[str, str], keys: Sequence[str]) -> str:
    """Return the first value under ``keys`` that is a text, not a number or flag; empty if none."""
    return attributes.get(_first_key(attributes, keys), "")


def _first_key(attributes: Mapping[str, str], keys: Sequence[str]) -> str:
    return next((key for key in keys if _is_text(attributes[key])), "")


def _is_text(value: str) -> bool:
    return value not in _EMPTY and decimal(value) is None


_EMPTY = frozenset({"", "[]", "{}", "null", "None", "true", "false"})
