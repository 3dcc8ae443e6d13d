"""A run as older releases stored it: steps as rows, and what only its document tells of them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.messages.new_texts import told_steps
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Step, StepError, StepType, Usage
from spanloom.core.ports.building import Call, Extent
from spanloom.core.query.flat_steps import lay_flat
from spanloom.storage.runs.list_rows import laid_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row

_CALLS = ("model", "tool")


class OldRun(NamedTuple):
    """What is to be stored of it."""

    seq: int
    version: int
    in_list: Mapping[str, object]
    """Its row of ``trajectory_list``."""
    calls: Sequence[Call]


def read_old_runs(lane: Lane, keys: Sequence[tuple[str, str]]) -> Iterator[OldRun]:
    """Yield those of the runs that are stored, in any order."""
    steps = defaultdict(list)
    for row in lane.rows("old_steps", keys=keys):
        steps[row.Project, row.TraceId].append(row)
    for row in lane.rows("old_trajectories", keys=keys):
        of_run = row._asdict()
        document = orjson.loads(of_run.pop("Document"))
        yield _old_run(of_run, document, steps.get((row.Project, row.TraceId), ()))


def _old_run(
    trajectory: Mapping[str, Any], document: Mapping[str, Any], rows: Sequence[Row]
) -> OldRun:
    root, extraction = document.get("root_step", {}), document.get("extraction", {})
    told = {step["id"]: step for step in _told_steps(document)}
    steps = lay_flat((row.AgentId, _step(row, told.get(row.StepId, {}))) for row in rows)
    cost = extraction.get("cost") or {}
    columns = laid_out(
        steps,
        root_id=root.get("id", ""),
        start_ns=trajectory["StartTimeUnixNano"],
        cost=cost.get("usd"),
        told=(extraction.get("metadata") or {}, root.get("metadata") or {}),
        texts=told_steps(document),
    )
    key = TraceKey(trajectory["Project"], trajectory["TraceId"])
    return OldRun(
        trajectory["Seq"],
        trajectory["Version"],
        {**trajectory, **dict(columns)},
        list(_calls(key, rows)),
    )


def _told_steps(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from ([document["root_step"]] if "root_step" in document else [])
    for agent in document.get("agent_steps", ()):
        yield agent
        yield from agent["steps"]


def _step(row: Row, told: Mapping[str, Any]) -> Step:
    """Return a step of the row, with the metadata and the whole input that the document tells."""
    is_model = row.Type == StepType.MODEL
    return Step(
        id=row.StepId,
        parent_id=row.ParentId,
        type=StepType(row.Type),
        name=row.Name,
        start_ns=row.StartTimeUnixNano,
        end_ns=row.EndTimeUnixNano,
        input=told.get("input", row.Input),
        error=StepError(row.ErrorCode, row.ErrorMessage, row.ErrorType) if row.HasError else None,
        usage=Usage(*(getattr(row, name) for name in _TOKENS)) if is_model else None,
        model=row.Model,
        first_token_ms=row.FirstTokenMs,
        metadata={**told.get("metadata", {}), "dialect": row.Dialect},
    )


_TOKENS = (
    "InputTokens",
    "OutputTokens",
    "ReasoningTokens",
    "CacheReadTokens",
    "CacheCreationTokens",
)


def _calls(key: TraceKey, rows: Iterable[Row]) -> Iterator[Call]:
    """Yield the calls by which other reports of them are found."""
    of_calls = [row for row in rows if row.Type in _CALLS]
    types = [row.Type for row in of_calls]
    models, tools = map(types.count, _CALLS)
    extent = Extent(models, tools, sum(row.Richness for row in of_calls))
    for row in of_calls:
        if row.CallKey:
            yield Call(
                key,
                row.StepId,
                row.CallKey,
                row.StartTimeUnixNano,
                row.EndTimeUnixNano,
                bool(row.IsBare),
                row.Dialect,
                extent,
            )
