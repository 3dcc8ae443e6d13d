"""Examples of responses of the administration routes, for the OpenAPI description."""

from spanloom.api.responses import answer, answer_of
from spanloom.core.records.project import ProjectList
from spanloom.core.records.record import example_of
from spanloom.core.records.upkeep import (
    Deletion,
    Diagnosis,
    Replay,
    ServiceDescription,
    Snapshot,
)

_REPLAY = example_of(Replay)
EXAMPLE_REPLAY: str = _REPLAY["id"]
_METRICS = """\
# HELP spanloom_spans_accepted_total Spans acknowledged: fsynced in the spool.
# TYPE spanloom_spans_accepted_total counter
spanloom_spans_accepted_total 14.0
"""
REPLAY = answer("The replay as it is now.", "Replay", _REPLAY)
REPLAYS = answer(
    "The replays.",
    "ReplayList",
    {"items": [_REPLAY], "next_cursor": EXAMPLE_REPLAY},
)
PROJECTS = answer("The projects.", "ProjectList", example_of(ProjectList))
_DELETION = example_of(Deletion)
DELETION = answer("What was deleted.", "Deletion", _DELETION)
DELETIONS = answer("The newest deletions.", "DeletionList", {"items": [_DELETION]})
SNAPSHOT = answer("The snapshot is taken.", "Snapshot", example_of(Snapshot))
HEALTH = answer("Yes.", "Health", {"status": "ok"})
DESCRIPTION = answer("What it is.", "ServiceDescription", example_of(ServiceDescription))
READINESS = answer("Yes.", "Readiness", {"status": "ok", "reasons": []})
DIAGNOSIS = answer("A finding for each check.", "Diagnosis", example_of(Diagnosis))
METRICS = answer_of("Every metric.", {"type": "string"}, _METRICS, "text/plain")
