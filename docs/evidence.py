"""Lists the rules of the dialects, with the captured runs of real SDKs in which each decided.

Rules are read from the source, where each is in a ``Classification``; runs are extracted again, so
the tables are true of this version.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from docs.frameworks import Framework, every_framework
from tests.support.ground_truth import Capture, all_captures
from tests.support.memory_store import MemoryStore

from spanloom.core import conventions as reading
from spanloom.core import dialects, extraction
from spanloom.core.dialects.otel_genai import OtelGenAI
from spanloom.core.dialects.registry import DIALECTS, find_dialect
from spanloom.core.extract import extract
from spanloom.core.model.span import Span
from spanloom.core.ports.spans import SpooledRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

    from spanloom.core.dialects.base import Dialect
    from spanloom.core.model.trajectory import SpanVerdict

_SHARED_RULE = re.compile(r"(?:langchain|once)\.[a-z_]+")


@dataclass(slots=True)
class Rule:
    """A rule by which spans are classified."""

    name: str
    kinds: set[str] = field(default_factory=set)
    """The kinds of spans that it decides, as known from the source or a capture."""
    captures: set[str] = field(default_factory=set)
    """Ids of the captured runs in which it decided."""


def frameworks() -> Iterator[tuple[str, str, str, str]]:
    """Yield each framework with its instrumentation, its dialects, and the evidence."""
    runs = Counter(capture.dialect for capture in all_captures())
    for framework in every_framework():
        count = runs[framework.folder]
        known = f"{count} capture{'' if count == 1 else 's'}" if count else "documentation"
        spoken = ", ".join(f"`{dialect}`" for dialect in _dialects_of(framework))
        yield framework.name, framework.emitter, spoken, known


@cache
def rules() -> dict[str, list[Rule]]:
    """Return the rules, keyed by the prefix before their dot: a dialect or a shared name."""
    found: dict[str, Rule] = {}
    for name, kind in _declared():
        found.setdefault(name, Rule(name)).kinds.update(kind)
    for capture, verdicts in _verdicts().items():
        for verdict in verdicts:
            rule = found.setdefault(verdict.rule, Rule(verdict.rule))
            rule.kinds.add(verdict.kind)
            rule.captures.add(capture.id)
    grouped: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in sorted(found.values(), key=lambda rule: rule.name):
        grouped[rule.name.partition(".")[0]].append(rule)
    return grouped


def readings() -> Iterator[tuple[str, str, str]]:
    """Yield each dialect with the kinds that its own rules decide, and the spans it passes on."""
    for dialect in DIALECTS:
        known = rules().get(dialect.id) or rules().get(dialect.id.partition("_")[0]) or []
        kinds = set[str]().union(*[rule.kinds for rule in known])
        own: list[str] = [kind for kind in ("agent", "model", "tool", "graph") if kind in kinds]
        if isinstance(dialect, OtelGenAI) and dialect.id != OtelGenAI.id:
            own.append("GenAI operations as `otel_genai`")
        yield f"`{dialect.id}`", ", ".join(own) or "-", ", ".join(_passed_on(dialect)) or "-"


def _passed_on(dialect: Dialect) -> Iterator[str]:
    """Yield descriptions of the spans that a dialect passes on to others."""
    if dialect.own_keys:
        keys = ", ".join(f"`{prefix}…`" for prefix in dialect.own_keys)
        yield f"plumbing without {keys}"
    if isinstance(dialect, OtelGenAI):
        yield "operations that it does not know"
    source = Path(str(sys.modules[type(dialect).__module__].__file__)).read_text("utf-8")
    if dialect.id not in ("evidence", OtelGenAI.id) and "is_unknown" in source:
        yield "spans that it does not know"


def _dialects_of(framework: Framework) -> list[str]:
    read = {
        verdict.dialect
        for capture, verdicts in _verdicts().items()
        if capture.dialect == framework.folder
        for verdict in verdicts
    }
    return sorted(read - {"fallback"} or read) or [find_dialect(_sample(framework)).id]


def _sample(framework: Framework) -> Span:
    ids = ("ab" * 16, "cd" * 8, "", "sample", "Internal", 0, 1, "Unset", "", "")
    return Span(*ids, framework.scope, "", framework.marks, (), (), 1)


@cache
def _verdicts() -> dict[Capture, list[SpanVerdict]]:
    """Return the classification of every span of every captured run."""
    found = {}
    for capture in all_captures():
        store = MemoryStore()
        bodies = enumerate(capture.requests())
        store.spans.append([SpooledRequest(seq, "", 0, body, 0) for seq, body in bodies])
        traces = store.spans.read_spans([change.key for change in store.progress.unextracted()])
        found[capture] = [v for key, spans in traces.items() for v in extract(key, spans).verdicts]
    return found


def _declared() -> Iterator[tuple[str, set[str]]]:
    """Yield the rules that occur in the source, each with its kind if the source states it."""
    for module in _modules(dialects, extraction, reading):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _name(node.func) == "Classification":
                yield from _classification(node)
            elif isinstance(node, ast.Constant) and _SHARED_RULE.fullmatch(str(node.value)):
                is_wrapper = str(node.value).startswith("once.")
                yield str(node.value), {"other"} if is_wrapper else set()


def _classification(call: ast.Call) -> Iterator[tuple[str, set[str]]]:
    said = [*call.args, *(keyword.value for keyword in call.keywords)]
    rule = said[1] if len(said) > 1 else None
    if isinstance(rule, ast.Constant):
        yield str(rule.value), set(_kind(said[0]))


def _kind(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and _name(node.value) == "Kind":
        yield node.attr.lower()


def _modules(*packages: ModuleType) -> Iterable[Path]:
    for package in packages:
        yield from sorted(Path(package.__path__[0]).rglob("*.py"))


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
