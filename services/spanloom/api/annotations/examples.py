"""Examples of responses of the annotation routes, for the OpenAPI description."""

import orjson

from spanloom.api.annotations.schemas import COLUMNS, EXAMPLE_STEP
from spanloom.api.responses import answer, answer_of, or_rows, or_table
from spanloom.api.schemas import EXAMPLE_TRACE
from spanloom.core.formats.entry import NDJSON
from spanloom.core.formats.schema import canonical_example
from spanloom.core.model.annotation import MARK_FIELDS
from spanloom.core.records.agreement import Agreement, UnitList
from spanloom.core.records.annotation import ANNOTATION
from spanloom.core.records.queue import QUEUE as QUEUE_RECORD
from spanloom.core.records.queue import QUEUED_RUN, NextRun, QueuePlace
from spanloom.core.records.record import example_of
from spanloom.core.records.scheme import SCHEME as SCHEME_RECORD
from spanloom.core.records.scheme import CheckedScheme, ImportReport, SchemeList
from spanloom.core.records.score import SCORE

_LAST = {name: ANNOTATION.example[name] for name in ("penalty", "value")}
_ROW = {name: value for name, value in ANNOTATION.example.items() if name not in _LAST} | _LAST
_MARK = {name: _ROW[name] for name in MARK_FIELDS}
_SCORE = {"score": 95, "score_complete": False}
_LIST = {
    "trace_id": EXAMPLE_TRACE,
    "project": "default",
    "version": 1,
    "withheld": 0,
    "items": [_ROW],
    "scores": [
        {
            "scheme": "step_evaluation",
            "annotator": "ada",
            **_SCORE,
            "unjudged": 1,
            "unweighed": 0,
        }
    ],
}
_ENTRY = {
    "project": "default",
    "trace_id": EXAMPLE_TRACE,
    "scheme": "step_evaluation",
    "scheme_hash": "602e59cfabcb26f270b1b57e133049f6",
    "annotator": "ada",
    "origin": "human",
    "version": 1,
    "n_steps": 2,
    "steps": [{"step_id": EXAMPLE_STEP, "step_index": 1, **_MARK, "state": "valid"}],
    **_SCORE,
}


_TOLD = {name: _LIST[name] for name in ("trace_id", "project", "version", "withheld")}
ANNOTATIONS = or_rows(answer("The annotations.", "AnnotationList", _LIST), **_TOLD)
WRITTEN = answer("The rows of the request, and the score.", "AnnotationList", _LIST)
VERSION = answer_of("The document.", {"type": "object"}, canonical_example())
KEPT = answer_of(
    "The version is stored.", {"type": "object"}, {"trace_id": EXAMPLE_TRACE, "version": 1}
)
SCHEME = answer(
    "The scheme, and the keys that are not understood.", "SchemeItem", SCHEME_RECORD.example
)
SCHEMES = answer("The schemes.", "SchemeList", example_of(SchemeList))
ENTRIES = or_table(
    answer_of(
        "A line for each annotator and trajectory; or a table with a row for each step.",
        {"type": "string"},
        orjson.dumps(_ENTRY).decode() + "\n",
        NDJSON,
    ),
    COLUMNS,
)
CORRECTIONS = answer(
    "How many there are.",
    "Corrections",
    {"written": 12, "unedited": 3, "changed": 1, "orphaned": 0, "no_answer": 2, "unreadable": 0},
)
TASK = answer_of(
    "The files of the task.", {"type": "string", "format": "binary"}, "PK", "application/zip"
)
CHECKED = answer(
    "The result of the check of each scheme.",
    "CheckedSchemes",
    {"schemes": [example_of(CheckedScheme)]},
)
IMPORTED = answer("The result of each line.", "ImportReport", example_of(ImportReport))
AGREEMENT = answer("The metrics.", "Agreement", example_of(Agreement))
UNITS = answer("The units.", "UnitList", example_of(UnitList))
QUEUE = answer("The queue as it is now.", "QueueItem", QUEUE_RECORD.example)
QUEUES = answer("The queues.", "QueueList", {"items": [QUEUE_RECORD.example]})
QUEUED = answer("The items.", "QueuedRuns", {"items": [QUEUED_RUN.example]})
PLACE = answer("The item, and the annotator's position.", "QueuePlace", example_of(QueuePlace))
NEXT = answer("The next item.", "NextRun", example_of(NextRun))
SCORES = or_rows(
    answer(
        "A page of scores; or all of them as lines, or as a table.",
        "ScoreList",
        {"items": [SCORE.example], "withheld": 0, "next_cursor": None},
    )
)
_STORED = {"items": [SCORE.example], "withheld": 0, "next_cursor": None, "waiting": 0}
STORED_SCORES = answer("The scores as stored.", "WrittenScores", _STORED)
WAITING_SCORES = answer(
    "The scores as stored; the trajectory of some is not there yet.",
    "WrittenScores",
    {**_STORED, "waiting": 1},
)
