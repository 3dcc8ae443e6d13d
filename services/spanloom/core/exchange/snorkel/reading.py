"""Reads Snorkel traces: a step for each node, except nodes that contain a user's message.

The value of a node becomes the output of its step; users' messages become the input of the next
model call. The kind of step follows from the node's type, otherwise from a change of
``metadata.agent``. Nodes that our own writer would write differently are stored in the metadata of
the steps (``source.py``), so that writing reproduces the trace.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from spanloom.core.conventions.imported import TOKEN_COUNTS
from spanloom.core.document import Document
from spanloom.core.exchange.attributes import with_number
from spanloom.core.exchange.drafts import (
    STEP_KINDS,
    Draft,
    DraftStep,
    complete,
    usage_of,
)
from spanloom.core.exchange.ids import note_made, step_id_of, trace_id_of
from spanloom.core.exchange.snorkel.nodes import (
    EXECUTION,
    TYPE,
    check_root,
)
from spanloom.core.exchange.snorkel.source import DEEPEST, SOURCE, in_short, keep
from spanloom.core.exchange.snorkel.times import starts
from spanloom.core.exchange.snorkel.walking import Node, agent_in, duration_of, number_of, walk
from spanloom.core.exchange.snorkel.writing import (
    ROOT_TYPE,
    STARTED_AT,
    TRACE_ID,
    USAGE,
    trace_of,
)
from spanloom.core.extraction.metrics import COST
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.formats.readers import EachAlone, Located
from spanloom.core.model.step import NO_CODE, StepError, Usage
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Reading, Refused, Taken

_OF_THE_ROOT = frozenset({TRACE_ID, STARTED_AT, ROOT_TYPE})
_MOST_DIGITS = 15


def read_trace(value: object, reading: Reading) -> Json:
    """Convert a trace to a canonical document; raises ``InvalidRequestError`` with the path."""
    nodes, depth = walk(check_root(value))
    root = nodes[0]
    source = root.expanded.get(TRACE_ID) or root.metadata.get(TRACE_ID)
    named = source if isinstance(source, str) and source else ""
    trace_id = trace_id_of(reading.format, reading.project, named or _sorted(value))
    reading.losses.trace_id = trace_id
    note_made(trace_id, named, "id", reading.losses)
    steps = [node for node in nodes if node.kind is not None]
    root.kind = _kind_of_root(root, steps)
    _identify(steps, trace_id, reading)
    _hear(nodes)
    _place(root, steps)
    _note(steps, reading)
    about = {"metadata": {"source_id": named}} if named and named != trace_id else {}
    drafted = [_drafted(node) for node in steps]
    draft = Draft(trace_id, reading.project, reading.format, drafted, about)
    document = complete(draft)
    if depth > DEEPEST or _sorted(trace_of(Document(document))) == _sorted(value):
        return document
    for step, kept in zip(drafted, _kept(nodes), strict=True):
        step.metadata = {**step.metadata, SOURCE: kept}
    return complete(draft)


def _kind_of_root(root: Node, steps: Sequence[Node]) -> Kind:
    """Return the kind of the root: its given type, otherwise agent if it calls models itself."""
    if stated := root.expanded.get(ROOT_TYPE):
        return STEP_KINDS.get(stated, Kind.OTHER)
    return Kind.AGENT if any(map(_is_call_of_root, steps)) else Kind.OTHER


def _is_call_of_root(node: Node) -> bool:
    if node.kind is not Kind.MODEL:
        return False
    above = node.above
    while above is not None and above.kind is not Kind.AGENT:
        above = above.above
    return above is None


def _identify(steps: Sequence[Node], trace_id: str, reading: Reading) -> None:
    taken: set[str] = set()
    for node in steps:
        stated = node.metadata.get("step_id")
        source = stated if isinstance(stated, str) else ""
        node.id = step_id_of(trace_id, node.where, source, taken)
        taken.add(node.id)
        note_made(node.id, source, node.where, reading.losses)


def _hear(nodes: Sequence[Node]) -> None:
    """Set users' messages as input of the next model call, and the first as input of the run."""
    heard: list[Json] = []
    root = nodes[0]
    for node in nodes:
        node.input = node.expanded.get("input", "")
        if node.kind is None:
            heard.append({"role": "user", "content": node.output})
            root.input = root.input or node.output
        elif node.kind is Kind.MODEL and heard and not node.input:
            node.input = dump(heard).decode()
            heard = []


def _place(root: Node, steps: Sequence[Node]) -> None:
    root.start_ms = _whole(root.expanded.get(STARTED_AT, ""))
    for node in steps:
        below = list(node.steps)
        is_parallel = node.json.get(EXECUTION) == "parallel"
        durations = [duration_of(one) or 0 for one in below]
        times = starts(node.start_ms, durations, is_parallel=is_parallel)
        for one, start in zip(below, times, strict=True):
            one.start_ms = start


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0


def _note(steps: Sequence[Node], reading: Reading) -> None:
    for node in steps:
        if duration_of(node) is None:
            reading.losses.note(Code.DURATION_UNKNOWN, node.where)
        if node.kind is Kind.TOOL and number_of(node.metadata.get("tokens")):
            reading.losses.note(Code.TOKENS_DROPPED, node.where)


def _drafted(node: Node) -> DraftStep:
    is_model, metadata = node.kind is Kind.MODEL, _metadata(node)
    usage, first_token_ms = _usage(node) if is_model else (None, None)
    return DraftStep(
        node.id,
        "" if node.above is None else node.above.id,
        Kind.OTHER if node.kind is None else node.kind,
        _name(node),
        node.input,
        node.output,
        node.start_ms,
        duration_of(node) or 0,
        _error(node, metadata),
        usage,
        metadata.get("model", "") if is_model else "",
        first_token_ms,
        metadata,
    )


def _name(node: Node) -> str:
    name = node.metadata.get("name")
    if isinstance(name, str):
        return name
    return (agent_in(node.json) if node.kind is Kind.AGENT else "") or str(node.json[TYPE])


def _metadata(node: Node) -> dict[str, str]:
    ours = {"input"} | (_OF_THE_ROOT if node.above is None else set())
    ours |= {USAGE} if node.kind is Kind.MODEL else set()
    return with_number({k: v for k, v in node.expanded.items() if k not in ours}, COST)


def _error(node: Node, metadata: dict[str, str]) -> StepError | None:
    code, message = node.metadata.get("error_code"), node.metadata.get("error_msg")
    if code is None and message is None:
        return None
    is_code = isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31
    return StepError(
        int(code) if is_code and code is not None else NO_CODE,
        "" if message is None else str(message),
        metadata.get("error_type", ""),
        reported_by=metadata.get("error_told_by", ""),
    )


def _usage(node: Node) -> tuple[Usage | None, float | None]:
    """Return the token usage of a model call, and the ms until its first token, if known."""
    info = json_value(node.expanded.get(USAGE, ""))
    if isinstance(info, dict):
        latency = info.get("latency_first_resp")
        first = float(_whole(latency)) if isinstance(latency, str) else None
        return usage_of(map(info.get, TOKEN_COUNTS)), first
    tokens = number_of(node.metadata.get("tokens"))
    return (None if tokens is None else Usage(output_tokens=int(min(tokens, 2**53)))), None


def _kept(nodes: Sequence[Node]) -> list[str]:
    """Return the value of ``SOURCE`` for each step, in order."""
    shorts: dict[int, str | Json] = {}
    kept: list[str] = []
    for node in reversed(nodes):
        below = [shorts.pop(id(one)) for one in node.children]
        if node.kind is None:
            shorts[id(node)] = in_short(node.json, below)
        else:
            shorts[id(node)] = node.id
            kept.append(keep(node.json, node.output, below))
    return kept[::-1]


def _sorted(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


class _Traces:
    """Reads traces, and lists of independent traces."""

    def fits(self, value: object) -> bool:
        """Return whether a value looks like a trace or a list of traces, valid or not."""
        first = value[0] if isinstance(value, list) and value else value
        return isinstance(first, dict) and TYPE in first

    def holds(self, first: object) -> bool:
        """Return whether a list that starts with this item is one record: a list of traces."""
        return self.fits([first])

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """Yield each run, and each rejected trace."""
        alone = EachAlone(self.fits, lambda value, reading: [read_trace(value, reading)])
        return alone.read(_items(values), reading)


def _items(values: Iterable[Located]) -> Iterator[Located]:
    for place, value in values:
        if isinstance(value, list):
            yield from (Located(f"{place}: item {n}", one) for n, one in enumerate(value, 1))
        else:
            yield Located(place, value)


TRACES = _Traces()
