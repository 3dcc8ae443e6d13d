"""The release of a run: which version of the agent ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

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
    for key in _ATTRIBUTES:
        values = {span.attributes[key] for span in spans if key in span.attributes}
        if found := _only(values, root.attributes.get(key, "")):
            return found
    return _only({span.release for span in spans}, root.release) or None


def _only(values: AbstractSet[str], own: str) -> str:
    """Return the root's value ``own``; if it is unknown, the only known value of the spans.

    The result is empty if the spans have no known value, or several.
    """
    if own not in _UNKNOWN:
        return own
    known = values - _UNKNOWN
    return next(iter(known)) if len(known) == 1 else ""
