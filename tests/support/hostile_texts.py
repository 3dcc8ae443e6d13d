"""Texts that cost a naive parser gigabytes or minutes, and spans with these texts.

A text has the requested length and is cheap to make. If it begins like input of a parser (messages,
a state, a repr), it continues in the way that costs this parser most.
"""

from __future__ import annotations

import gzip
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tests.support import wild
from tests.support.ground_truth import all_captures
from tests.support.mutations import stored_traces, traces_of
from tests.support.recorded import RECORDED

from spanloom.core.dialects.registry import find_dialect

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey

_NUMBER = re.compile(r"\d+")


class Target(NamedTuple):
    """A text attribute of a captured span, the first of its kind in its dialect."""

    dialect: str
    key: str
    """The attribute's key."""
    trace: TraceKey
    spans: Sequence[Span]
    """The whole trace."""
    at: int
    """The index of the span in the trace."""

    def __str__(self) -> str:
        return f"{self.dialect}-{self.key}"

    def carrying(self, text: str) -> Sequence[Span]:
        """Return the trace with the attribute's value replaced."""
        span = self.spans[self.at]
        changed = span._replace(attributes={**span.attributes, self.key: text})
        return [*self.spans[: self.at], changed, *self.spans[self.at + 1 :]]


@cache
def all_targets() -> Sequence[Target]:
    """Return each text attribute of each dialect once.

    Keys that differ in a number are the same.
    """
    found: dict[tuple[str, str], Target] = {}
    for key, spans in _every_trace():
        for at, span in enumerate(spans):
            dialect = find_dialect(span).id
            for name in span.attributes:
                kind = (dialect, _NUMBER.sub("0", name))
                found.setdefault(kind, Target(dialect, name, key, spans, at))
    return sorted(found.values(), key=str)


def _every_trace() -> Iterator[tuple[TraceKey, Sequence[Span]]]:
    """Yield the traces of captures, of recorded runs, and of inputs from public reports."""
    for capture in all_captures():
        yield from traces_of(capture).items()
    for path in sorted(RECORDED.rglob("*.otlp.gz")):
        if path.name.endswith(".logs.otlp.gz"):
            continue
        yield from stored_traces([gzip.decompress(path.read_bytes())]).items()
    for path in sorted(wild.WILD.glob("*.json")):
        if not path.name.endswith(".expect.json"):
            yield from stored_traces(wild.messages(path.stem)).items()


_REPEATED: Mapping[str, tuple[str, str, str]] = {
    "list of zeros": ("[", "0,", "0]"),
    "list of lists": ("[", "[],", "0]"),
    "list of objects": ("[", "{},", "0]"),
    "list of pairs": ("[", '["ai",""],', "0]"),
    "list of messages": ("[", '{"role":"user"},', "0]"),
    "true messages": ("[", '{"role":"user","content":"hi"},', '{"role":"user","content":""}]'),
    "one message of many parts": ('[{"role":"user","content":[', "0,", "0]}]"),
    "prompts": ('{"prompts":[', '"a",', '"a"]}'),
    "state of wrappers": ('{"messages":[', '{"lc":1,"kwargs":{}},', "0]}"),
    "calls": ('[{"role":"assistant","tool_calls":[', '{"name":""},', "{}]}]"),
    "fields": ("{", '"a":"",', '"b":0}'),
    "list in text": ('{"role":"user","content":"', "[{},{}],", '"}'),
    "brackets": ("", "[", ""),
    "closed brackets": ("", "[]", ""),
    "open braces": ("", "{", ""),
    "nested objects": ("", '{"a":', ""),
    "open objects of Python": ("", "{'a':", ""),
    "list of Python": ("[", "'',", "0]"),
    "nested list of Python": ("[{'a': [", "[],", "0]}]"),
    "objects of Python": ("[{'type': 'text'}", ", {'a': None}", "]"),
    "calls of Python": ("[A(b=1)", ", A(b=())", "]"),
    "double quotes": ("", '"', ""),
    "single quotes": ("", "'", ""),
    "escaped quotes": ('"', '\\"', '"'),
    "quotes of Python": ("content='", "\\'", "'"),
    "backslashes": ('"', "\\", ""),
    "digits": ("", "1", ""),
    "digits in a list": ("[", "1", "]"),
    "letters": ("", "a", ""),
    "blanks": ("{", " ", "}"),
    "dots": ("", "a.", ""),
    "errors": ("status='success' result=", " error=", ""),
    "tokens": ("", "_tokens", ""),
    "wide letters": ("\N{WAVING HAND SIGN}", "a", ""),
    "control characters": ("", "\x01", ""),
    "wide control characters": ("\N{WAVING HAND SIGN}", "\x01", ""),
    "a fifth control characters": ("\N{WAVING HAND SIGN}", "\x01aaaa", ""),
}
HOSTILE: Sequence[str] = (*_REPEATED,)
"""The names of the texts."""


@cache
def hostile_text(name: str, size: int) -> str:
    """Return the text of this name, of about ``size`` bytes."""
    start, middle, end = _REPEATED[name]
    return start + middle * ((size - len(start) - len(end)) // len(middle)) + end
