"""Reads Invariant's annotations, by people or programs, as scores of texts in messages.

Form: ``{"content", "address", "extra_metadata"}``. The address is resolved once the run's messages
have arrived (``invariant_addresses.py``). The score's ``item`` contains the address, so that two
annotations of one step are two scores.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.errors import InvalidRequestError
from spanloom.core.messages.wire import compact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.invariant_addresses import Spot

ANNOTATION = "annotation"
"""The name of the scores made from annotations."""
_NOBODY = "invariant"
_AUTHORS = ("annotator", "source")
"""Members of ``extra_metadata`` with the author; Spanloom's files have the first, which wins."""
_LONGEST = 200
"""Maximum characters of an author or an address; an address has to fit into ``item``."""
_HASH_BYTES = 8


class Annotation(NamedTuple):
    """A validated annotation."""

    content: str
    address: str
    author: str
    about: str
    """``extra_metadata`` as JSON; empty if there is none."""

    def id_in(self, trace_id: bytes) -> bytes:
        """Return the id of the annotation's span; the same annotation always has the same id."""
        content = "\0".join((self.address, self.author, self.content, self.about))
        text = b"annotation\0" + trace_id + content.encode("utf-8", "replace")
        return hashlib.sha256(text).digest()[:_HASH_BYTES]

    def item_in(self, trace_id: bytes) -> str:
        """Return the ``item`` of the annotation's score: the address with a unique suffix."""
        return f"{self.address}#{self.id_in(trace_id).hex()[:8]}"


def read_annotation(value: object, where: str) -> Annotation:
    """Return the annotation; raise ``InvalidRequestError`` that names the invalid member."""
    if not isinstance(value, dict):
        raise InvalidRequestError(f"{where}: an object is needed.")
    content, address = value.get("content"), value.get("address")
    if not isinstance(content, str):
        raise InvalidRequestError(f"{where}.content: a string is needed.")
    if not isinstance(address, str) or len(address) > _LONGEST:
        raise InvalidRequestError(f"{where}.address: a string of {_LONGEST} characters is needed.")
    about = value.get("extra_metadata")
    if about is not None and not isinstance(about, dict):
        raise InvalidRequestError(f"{where}.extra_metadata: an object is needed.")
    return Annotation(content, address, _author(about or {}), compact(about) if about else "")


def _author(about: Mapping[str, Any]) -> str:
    named = (about.get(name) for name in _AUTHORS)
    return next((n[:_LONGEST] for n in named if isinstance(n, str) and n.strip()), _NOBODY)


def evidence_of(address: str, spot: Spot | None) -> Sequence[Mapping[str, Any]]:
    """Return the target of an annotation as the evidence of its score."""
    found: dict[str, Any] = {"address": address}
    if spot is not None:
        found |= {k: v for k, v in (("field", spot.field), ("part", spot.part)) if v}
        if spot.bounds is not None:
            found["start"], found["end"] = spot.bounds
    return [found]
