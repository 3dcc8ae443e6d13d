"""The release of a run: which version of the agent ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.core.model.span import Span

_ATTRIBUTES = ("gen_ai.agent.version", "langfuse.release")
"""Span attributes with a release, the most specific to the agent first.

Revision attributes of spans are not used: coding agents set them to the code they work on.
"""
_UNKNOWN = frozenset({"", "unknown"})


def release_of(spans: Sequence[Span], root: Span) -> str | None:
    """Return the release from the first source that has one; ``None`` if no source decides.

    Sources are the span attributes in ``_ATTRIBUTES``, then the resource. In each source the root's
    value counts; if the root has none, all spans with a value must agree.
    """
    return next((found for read in _SOURCES if (found := _only(read, spans, root))), None)


def _only(read: Callable[[Span], str], spans: Sequence[Span], root: Span) -> str:
    if (own := read(root)) not in _UNKNOWN:
        return own
    values = _first_two(read, spans)
    return values[0] if len(values) == 1 else ""


def _first_two(read: Callable[[Span], str], spans: Sequence[Span]) -> Sequence[str]:
    found: list[str] = []
    for span in spans:
        if (value := read(span)) not in _UNKNOWN and value not in found:
            found.append(value)
            if len(found) > 1:
                break
    return found


def _readers() -> Iterator[Callable[[Span], str]]:
    for key in _ATTRIBUTES:
        yield lambda span, key=key: span.attributes.get(key, "")  # type: ignore[misc]  # bound
    yield lambda span: span.release


_SOURCES = tuple(_readers())
