"""The view of an evaluator, that is, the data of a run that it reads, and the data's fingerprint.

A score stays valid while the fingerprint is the same: if only times changed in a new version of a
run, evaluators that read no times need not judge it again.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from spanloom.core.formats.imported import RECOMPUTED
from spanloom.core.formats.json_bytes import dump, sorted_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from spanloom.core.document import Document, DocumentStep


class Part(StrEnum):
    """A kind of data in a document; most kinds are in every step."""

    TYPES = "types"
    NAMES = "names"
    IDS = "ids"
    PARENTS = "parents"
    """The parent of each step, given by the parent's position in the document, not by its id."""
    INPUTS = "inputs"
    """All inputs, including the arguments of tools."""
    ARGUMENTS = "arguments"
    """The inputs of tool steps alone."""
    OUTPUTS = "outputs"
    ERRORS = "errors"
    TIMES = "times"
    """Start and duration in milliseconds."""
    TOKENS = "tokens"
    """Token counts and latencies of model calls, metrics of agents and the root."""
    METADATA = "metadata"
    """Costs, models, parameters and other attributes."""
    RUN = "run"
    """The ``extraction`` of the document: outcome, status, warnings, failures."""


WHOLE: AbstractSet[Part] = frozenset(Part)
"""The view of an evaluator that may read anything."""
_OF_STEPS: Mapping[Part, Callable[[DocumentStep], Any]] = {
    Part.TYPES: lambda step: step.type,
    Part.NAMES: lambda step: (step.name, step.agent_name),
    Part.IDS: lambda step: step.id,
    Part.INPUTS: lambda step: step.input,
    Part.ARGUMENTS: lambda step: step.input if step.type == "tool" else None,
    Part.OUTPUTS: lambda step: step.output,
    Part.ERRORS: lambda step: step.error,
    Part.TIMES: lambda step: step.times,
    Part.TOKENS: lambda step: dict(step.tokens),
    Part.METADATA: lambda step: dict(step.metadata),
}


def view_fingerprint(document: Document, view: AbstractSet[Part]) -> str:
    """Return the SHA-256, in hex, of the data of a document that a view includes."""
    digest = hashlib.sha256()
    if Part.RUN in view:
        digest.update(dump(sorted_keys(_lasting(document.extraction.json))))
    reads = [read for part, read in _OF_STEPS.items() if part in view]
    places = _places(document) if Part.PARENTS in view else {}
    for step in _steps(document):
        parts = [read(step) for read in reads]
        if places:
            parts.append(places.get(step.parent_id, -1))
        digest.update(dump(sorted_keys(parts)))
        digest.update(b"\n")
    return digest.hexdigest()


def named_fingerprint(document: Document, view: AbstractSet[Part]) -> str:
    """Return a fingerprint that names its view: ``1:names,types:9f86d081…``.

    The view in the text is enough to compute the fingerprint of another version of the run.
    """
    names = ",".join(part.value for part in Part if part in view)
    return f"{_EDITION}:{names}:{view_fingerprint(document, view)}"


def view_named_in(fingerprint: str) -> AbstractSet[Part] | None:
    """Return the view that a fingerprint names; ``None`` for another edition or other text."""
    edition, _, rest = fingerprint.partition(":")
    names, _, digest = rest.partition(":")
    if edition != _EDITION or not digest:
        return None
    try:
        return frozenset(map(Part, names.split(","))) if names else frozenset()
    except ValueError:
        return None


_EDITION = "1"
"""Incremented when ``view_fingerprint`` changes for the same document."""


def _lasting(extraction: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the members of an ``extraction`` that do not depend on the build or the store."""
    return {name: value for name, value in extraction.items() if name not in _OF_A_BUILD}


_OF_A_BUILD = RECOMPUTED - {"status"}


def _steps(document: Document) -> Iterator[DocumentStep]:
    yield document.root
    for agent in document.agents:
        yield agent
        yield from agent.steps


def _places(document: Document) -> Mapping[str, int]:
    places: dict[str, int] = {}
    for place, step in enumerate(_steps(document)):
        places.setdefault(step.id, place)
    return places
