"""The protocol of a dialect: what each module declares and implements."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar, Protocol

from spanloom.core.conventions.failures import ControlFlow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.normalized import Classification, Facts
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Kind


class Claim(IntEnum):
    """Which spans a dialect covers; the lowest claim is tried first.

    A PydanticAI span that OpenInference marks has the attribute ``openinference.span.kind``, the
    scope ``pydantic-ai`` and the shared ``gen_ai.operation.name``: tried in this order.
    """

    OVERLAY = 1
    """Spans of any library, marked with their kind: ``openinference.span.kind``."""
    LIBRARY = 2
    """Spans of one library, by its scope or own attributes: the scope ``pydantic-ai``."""
    SHARED = 3
    """Spans of many libraries that write the same attributes: ``gen_ai.operation.name``."""
    ANY = 4
    """All remaining spans."""


class Dialect(Protocol):
    """One instrumentation convention; its class declares all that the registry needs."""

    id: str
    """Stable: stored in the verdict of every span."""
    claims: ClassVar[Claim] = Claim.LIBRARY
    """Which spans it covers; declared by each class, not inherited."""
    before: ClassVar[Sequence[str]] = ()
    """Ids of the dialects that must be tried after this one, where ``claims`` does not decide.

    This one uses their attributes, or they add theirs to its spans: Strands before MLflow, which
    adds attributes to Strands' spans. A subclass need not name the dialect of its base class:
    ``class TraceloopAgno(Traceloop)`` comes before ``Traceloop``.
    """
    keys_with_values: ClassVar[Sequence[str]] = ()
    """Attributes whose values ``recognises`` reads; of all others it sees only the keys."""
    control_flow: ClassVar[ControlFlow] = ControlFlow()
    """Exceptions that the framework raises to pause or hand over: never a failure of a step."""
    own_scope: ClassVar[str] = ""
    """Scope of a framework that emits its own spans, to which others add attributes."""

    def prepare(self, others: Sequence[Dialect]) -> None:  # noqa: ARG002  # most do not need them
        """Learn about all dialects; called once, before any span is read."""
        return

    def recognises(self, signature: Signature) -> bool:
        """Return whether spans with this signature follow the convention."""

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Return what the span is, from its attributes and its position in the trace."""

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Return what a span of this kind reports about its step."""
