"""Reads trajectories in ATIF 1.0 to 1.8 as runs.

A step lasts until the start of the next step; the tools that it called begin when it ends. Messages
become the input of the next model step, as in ``messages/reading.py``. Steps flagged as copied
context become messages only: their calls do not become tool steps, and their tokens are not
counted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.atif.agents_in import AgentReading, add_agent
from spanloom.core.exchange.atif.conventions import CONTINUED, NOTES, OF_EXTRA, OF_STATUS, ROOT_ID
from spanloom.core.exchange.atif.steps_in import Run
from spanloom.core.exchange.drafts import Draft, complete
from spanloom.core.exchange.ids import note_made, trace_id_of
from spanloom.core.exchange.messages.rows import extras_of, source_id_of
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.json_bytes import dump, sorted_keys
from spanloom.core.formats.losses import Code
from spanloom.core.formats.readers import EachAlone, a_list, a_text, an_object
from spanloom.core.model.step import NO_CODE, StepError
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.exchange.drafts import DraftStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Reading

_VERSION = re.compile(r"ATIF-v1\.([0-9]{1,2})")
_LATEST, _WITHOUT_SESSION = 8, 7
"""Minor versions: the latest known, and the first in which ``session_id`` is optional."""
_EMBEDDED = "subagent_trajectories"
_TRACE_DIGITS = 32
_EXTRA = frozenset({ROOT_ID, "root_type", "input", "output", "error", "metadata", *OF_EXTRA})
"""Members of a trajectory's ``extra`` that this reader uses."""


def fits(value: Any) -> bool:
    """Return whether a value is an ATIF trajectory, judging by its ``schema_version``."""
    version = value.get("schema_version") if isinstance(value, dict) else None
    return isinstance(version, str) and version.startswith("ATIF-")


def read_one(value: Any, reading: Reading) -> Iterable[Json]:
    """Convert an ATIF trajectory to a canonical document, and yield it."""
    trajectory = an_object(value, "the value")
    minor = _minor_version(trajectory)
    session = trajectory.get("session_id")
    if minor < _WITHOUT_SESSION or session is not None:
        a_text(session, "session_id")
    source = a_text(trajectory.get("trajectory_id") or session or "", "trajectory_id")
    text = source or dump(sorted_keys(trajectory)).decode()
    trace_id = trace_id_of(reading.format, reading.project, text)
    reading.losses.trace_id = trace_id
    note_made(trace_id, source, "trajectory_id", reading.losses)
    run = Run(trace_id, reading.losses, _embedded(trajectory))
    root = AgentReading(run, trajectory, "").read_root()
    for agent_id in list(run.embedded):  # agents to which no step refers
        add_agent(run, agent_id, root)
    _take_extra(root, trajectory.get("extra"))
    note_unread(trajectory.get("extra"), _EXTRA, reading.losses, "extra")
    _check_totals(trajectory, run)
    draft = Draft(trace_id, reading.project, reading.format, run.steps)
    draft.extras = _extras(trajectory, trace_id, source)
    yield complete(draft)


def _minor_version(trajectory: Json) -> int:
    version = a_text(trajectory.get("schema_version"), "schema_version")
    found = _VERSION.fullmatch(version)
    if found is None or int(found[1]) > _LATEST:
        raise InvalidRequestError(
            f"schema_version: ATIF-v1.0 to ATIF-v1.{_LATEST} are read, not {version[:40]!r}"
        )
    return int(found[1])


def _embedded(trajectory: Json) -> dict[str, tuple[str, Json]]:
    """Return the trajectories of subagents at any depth, with their paths, keyed by id."""
    found: dict[str, tuple[str, Json]] = {}
    waiting = [("", trajectory)]
    while waiting:
        where, outer = waiting.pop()
        for at, one in enumerate(a_list(outer.get(_EMBEDDED) or [], f"{where}{_EMBEDDED}")):
            place = f"{where}{_EMBEDDED}.{at}"
            inner = an_object(one, place)
            agent_id = a_text(inner.get("trajectory_id"), f"{place}.trajectory_id")
            if agent_id in found:
                raise InvalidRequestError(f"{place}.trajectory_id: it is there twice")
            found[agent_id] = (f"{place}.", inner)
            waiting.append((f"{place}.", inner))
    return found


def _take_extra(root: DraftStep, given: object) -> None:
    """Restore the root's type, texts and error, which ``writing.py`` puts into ``extra``."""
    extra = given if isinstance(given, dict) else {}
    if extra.get("root_type") in (Kind.GRAPH, Kind.OTHER):
        root.kind = Kind(extra["root_type"])
    if isinstance(text := extra.get("input"), str):
        root.input = text
    if isinstance(text := extra.get("output"), str):
        root.output = text
    error = extra.get("error")
    if isinstance(error, dict) and isinstance(error.get("msg"), str):
        code = error.get("code")
        root.error = StepError(code if isinstance(code, int) else NO_CODE, error["msg"])


def _extras(trajectory: Json, trace_id: str, source: str) -> Mapping[str, object]:
    given = trajectory.get("extra")
    extra = given if isinstance(given, dict) else {}
    own = extra.get("metadata")
    session = trajectory.get("session_id")
    about: Json = dict(own) if isinstance(own, dict) else {}
    about |= {name: extra[name] for name in OF_EXTRA if name in extra}
    if session and session != source and trace_id not in str(session):
        about["conversation_id"] = session
    about |= {name: trajectory[name] for name in (CONTINUED, NOTES) if trajectory.get(name)}
    if str(about.get(NOTES, "")).startswith(OF_STATUS):
        del about[NOTES]
    extras = extras_of(about, source_id_of(source, trace_id))
    linked = str(trajectory.get(CONTINUED) or "").replace("-", "").lower()
    is_trace = len(linked) == _TRACE_DIGITS and re.fullmatch("[0-9a-f]+", linked)
    return {**extras, "linked_traces": [linked]} if is_trace else extras


def _check_totals(trajectory: Json, run: Run) -> None:
    """Count reported totals that differ from the sums over the root agent's own model calls."""
    totals = trajectory.get("final_metrics")
    if not isinstance(totals, dict):
        return
    sums = zip(("total_prompt_tokens", "total_completion_tokens"), run.totals, strict=True)
    for name, counted in sums:
        given = totals.get(name)
        run.losses.note(
            Code.METRICS_RECOMPUTED, f"final_metrics.{name}", given not in (None, counted)
        )


READER = EachAlone(fits, read_one)
