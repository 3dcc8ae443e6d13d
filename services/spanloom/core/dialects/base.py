"""The interface of dialects, and the order in which they are tried."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import IntEnum
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, ClassVar, Protocol

from spanloom.core.conventions.failures import ControlFlow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Classification, Facts, Span
    from spanloom.core.model.trajectory import Kind


class Claim(IntEnum):
    """The spans that a dialect covers; dialects with the lowest claim are tried first.

    A PydanticAI span with OpenInference's attributes has ``openinference.span.kind``, the scope
    ``pydantic-ai`` and the shared ``gen_ai.operation.name``; the dialects that read them are tried
    in this order.
    """

    OVERLAY = 1
    """Spans of any library to which an overlay added their kind: ``openinference.span.kind``."""
    LIBRARY = 2
    """Spans of one library, recognised by scope or own attributes: scope ``pydantic-ai``."""
    SHARED = 3
    """Spans of many libraries that write the same attributes: ``gen_ai.operation.name``."""
    ANY = 4
    """All remaining spans."""


class Dialect(Protocol):
    """Reads the spans of one instrumentation convention."""

    id: str
    """The dialect's unique name, which is stored with every classification and never changes."""
    claims: ClassVar[Claim] = Claim.LIBRARY
    """The spans that the dialect covers; declared by each class, not inherited."""
    before: ClassVar[Sequence[str]] = ()
    """Ids of the dialects that must be tried after this one, if ``claims`` does not decide.

    Needed if two dialects recognise the same span: Strands comes before MLflow, because MLflow adds
    its attributes to Strands' spans. A subclass need not name the dialect of its base class:
    ``class TraceloopAgno(Traceloop)`` comes before ``Traceloop``.
    """
    keys_with_values: ClassVar[Sequence[str]] = ()
    """Attributes whose values ``recognises`` may read; of all others it gets only the keys."""
    control_flow: ClassVar[ControlFlow] = ControlFlow()
    """Exceptions that the framework raises to pause or hand over; they never fail a step."""
    own_keys: ClassVar[Sequence[str]] = ()
    """Prefixes of attributes that the library sets on each of its spans, if there are any.

    A span of the library's scope without any of these attributes was made by other code: if this
    dialect classifies the span as noise, the next dialects are tried.
    """
    own_scope: ClassVar[str] = ""
    """Scope of a framework that emits its own spans, to which other libraries add attributes."""
    scopes: ClassVar[Sequence[str]] = ()
    """Patterns (ignoring case) for the beginning of scopes of the library's instrumentations."""
    marks: ClassVar[Sequence[str]] = ()
    """Prefixes of attributes that only the library writes.

    Spans with such an attribute under a scope that no dialect lists cause a warning: the library
    may have renamed its scope, which rules depend on.
    """

    def prepare(self, others: Sequence[Dialect]) -> None:  # noqa: ARG002  # most do not need them
        """Read the declarations of all dialects; called once, before the first span."""
        return

    def recognises(self, signature: Signature) -> bool:
        """Return whether spans with this signature follow the convention."""

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Return the span's kind and rule, from its attributes and its position in the trace."""

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Return the facts of the step that a span of this kind reports."""


NO_DIALECTS = frozenset({"base", "registry"})
"""The modules in the package that are not dialects."""

Later = Mapping[str, Collection[str]]
"""For each dialect's id, the ids of the dialects that must be tried after that dialect."""


def collect(package: ModuleType) -> Sequence[Dialect]:
    """Return the dialects that the modules of the package export as ``DIALECTS``."""
    names = sorted({info.name for info in iter_modules(package.__path__)} - NO_DIALECTS)
    modules = [import_module(f"{package.__name__}.{name}") for name in names]
    return [dialect for module in modules for dialect in module.DIALECTS]


def arrange(dialects: Iterable[Dialect]) -> Sequence[Dialect]:
    """Return the dialects in the order in which they are tried.

    Each precedes the dialects that it names in ``before`` and the dialect whose class it extends;
    otherwise ``claims`` decides, then the id. A dialect that must precede another one moves up to
    the other dialect's claim: ``strands``, before ``mlflow``, is tried with the overlays.

    Raises ``ImportError`` if two dialects have the same id, if ``before`` has an unknown id, or if
    the order is circular.
    """
    by_id = _by_id(dialects)
    later = {dialect_id: find_later(dialect, by_id) for dialect_id, dialect in by_id.items()}
    try:
        return [by_id[dialect_id] for dialect_id in _sort(later, _lowest_claims(by_id, later))]
    except CycleError as error:
        raise ImportError(f"dialects precede each other: {error.args[1]}") from error


def find_later(dialect: Dialect, by_id: Mapping[str, Dialect]) -> set[str]:
    """Return the ids to try after a dialect: the ids in ``before`` and of its base classes.

    Raises ``ImportError`` for an unknown id in ``before``.
    """
    for named in dialect.before:
        if named not in by_id:
            raise ImportError(f"{dialect.id} is to precede {named}, which is no dialect")
    bases = type(dialect).__mro__[1:]
    return {*dialect.before, *(i for i, other in by_id.items() if type(other) in bases)}


def own_claim(dialect: Dialect) -> Claim:
    """Return the claim that the class itself declares, or else ``LIBRARY``; it is not inherited."""
    claim: Claim = vars(type(dialect)).get("claims", Dialect.claims)
    return claim


def _by_id(dialects: Iterable[Dialect]) -> Mapping[str, Dialect]:
    by_id: dict[str, Dialect] = {}
    for dialect in dialects:
        if by_id.setdefault(dialect.id, dialect) is not dialect:
            raise ImportError(f"two dialects have the id {dialect.id}")
    return by_id


def _lowest_claims(by_id: Mapping[str, Dialect], later: Later) -> Mapping[str, int]:
    """Map each dialect's id to the lowest claim among the dialect and those it must precede."""
    lowest: dict[str, int] = {}
    for dialect_id in TopologicalSorter(later).static_order():
        own = own_claim(by_id[dialect_id])
        lowest[dialect_id] = min([own, *[lowest[i] for i in later[dialect_id]]])
    return lowest


def _sort(later: Later, claims: Mapping[str, int]) -> Iterable[str]:
    """Yield the ids in topological order; ties are decided by the lowest claim, then the id."""
    sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(later, ()))
    for dialect_id, after in later.items():
        for other in after:
            sorter.add(other, dialect_id)
    sorter.prepare()
    ready: list[tuple[int, str]] = []
    while sorter.is_active():
        ready = sorted([*ready, *[(claims[i], i) for i in sorter.get_ready()]])
        _, first = ready.pop(0)
        yield first
        sorter.done(first)
