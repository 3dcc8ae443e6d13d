"""Examples of answers of the annotation routes, for the OpenAPI description."""

from typing import Any

import orjson

from spanloom.api.annotations.rows import COLUMNS
from spanloom.api.annotations.schemas import EXAMPLE_STEP, EXAMPLE_WRITE
from spanloom.api.annotations.scheme_schemas import EXAMPLE_SCHEME
from spanloom.api.examples import or_rows, or_table
from spanloom.api.schemas import EXAMPLE_TRACE
from spanloom.core.formats.entry import NDJSON
from spanloom.core.formats.schema import canonical_example

_MARK = {
    "correctness": "incorrect",
    "error_type": "execution",
    "error_subtype": "wrong_tool",
    "severity": "major",
    "rationale": "The weather was asked for, not the forecast.",
}
_ROW = {
    "scheme": "step_evaluation",
    "annotator": "ada",
    "step_id": EXAMPLE_STEP,
    "revision": 1,
    "write_id": EXAMPLE_WRITE,
    "base_revision": 0,
    "group": EXAMPLE_WRITE,
    "at": "1715400000000",
    "origin": "human",
    "is_deleted": False,
    "scheme_hash": "602e59cfabcb26f270b1b57e133049f6",
    "version": 1,
    "state": "valid",
    "stands_at": EXAMPLE_STEP,
    "reason": "",
    "places": [],
    "quote": "forecast: rain from Saturday",
    **_MARK,
    "penalty": 5,
    "value": {},
}
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
_SCHEME = {
    "name": "step_evaluation",
    "project": "default",
    "annotation_type": "trajectory_eval",
    "description": "Evaluate each agent step",
    "correctness_options": ["correct", "incorrect", "partially_correct"],
    "correct_option": "correct",
    "error_types": [{"name": "execution", "subtypes": ["wrong_tool", "wrong_args"]}],
    "severities": [{"name": "major", "weight": 5}],
    "max_score": 100,
    "show_score": True,
    "required": False,
    "agents": [],
    "reason_required": False,
    "definitions": {},
    "hash": "602e59cfabcb26f270b1b57e133049f6",
    "put_at": "1715400000000",
    "put_by": "ada",
    "text": EXAMPLE_SCHEME,
    "remarks": [{"line": 7, "key": "colour", "reason": "not a key that we know"}],
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
_FIGURE = {"value": 0.743, "reason": ""}
_NONE = {"value": None, "reason": "no unit was judged by two annotators"}
_MEASURE = {
    "name": "correctness",
    "level": "nominal",
    "units": 12,
    "shared": 10,
    "alpha": _FIGURE,
    "interval": [0.61, 0.84],
    "kappa": _NONE,
    "percent": {"value": 0.9, "reason": ""},
    "pairs": [
        {
            "annotators": ["ada", "bo"],
            "units": 10,
            "kappa": _FIGURE,
            "percent": {"value": 0.9, "reason": ""},
            "confusion": [{"a": "correct", "b": "incorrect", "units": 1}],
        }
    ],
}
_QUEUE = {
    "name": "week 3",
    "project": "default",
    "scheme": "potato",
    "mode": "assigned",
    "annotators": ["ada", "bo"],
    "each": 2,
    "blind": True,
    "order": "oldest",
    "away": [],
    "threshold": 0.8,
    "sample": 0.1,
    "where": "tool_steps >= 3",
    "living": True,
    "instructions": "Judge every step.",
    "items": 40,
    "overlap": 3,
    "states": {"begun": 2, "done": 3, "open": 35},
    "progress": {
        "ada": {
            "assigned": 40,
            "done": 3,
            "timed": 3,
            "seconds": 512.5,
            "median_seconds": 140.2,
            "gold": {"answers": 12, "right": 11},
        }
    },
}
_QUEUED = {
    "trace_id": EXAMPLE_TRACE,
    "version": 1,
    "state": "begun",
    "annotators": ["ada", "bo"],
    "done_by": ["ada"],
    "failures": 2,
    "gold": False,
    "alike": None,
}
_SCORE_ITEM = {
    "score_id": "6f5902ac237024bdd0c176cb93063dc4",
    "trace_id": EXAMPLE_TRACE,
    "project": "default",
    "target": "trajectory",
    "step_id": "",
    "name": "step_evaluation",
    "source": "human",
    "author": "ada",
    "value": 95,
    "value_type": "number",
    "passed": None,
    "is_complete": False,
    "status": "ok",
    "error_code": "",
    "rationale": "",
    "judged_version": 1,
    "evaluator_version": "",
    "config_hash": "602e59cfabcb26f270b1b57e133049f6",
    "experiment": "",
    "item": "",
    "repeat": 0,
    "at": "1715400000000",
}
_REPORT = {
    "dry_run": False,
    "added": 2,
    "there": 0,
    "refused": [{"line": 2, "detail": "it has 3 steps and the trajectory 4"}],
    "flags": [],
}


def _answer(
    description: str, schema: str | dict[str, Any], example: Any, media: str = "application/json"
) -> dict[str, Any]:
    named = {"$ref": f"#/components/schemas/{schema}"} if isinstance(schema, str) else schema
    return {
        "description": description,
        "content": {media: {"schema": named, "example": example}},
    }


_TOLD = {name: _LIST[name] for name in ("trace_id", "project", "version", "withheld")}
ANNOTATIONS = or_rows(_answer("The annotations.", "AnnotationList", _LIST), **_TOLD)
WRITTEN = _answer("The rows of the request, and the score.", "AnnotationList", _LIST)
VERSION = _answer("The document.", {"type": "object"}, canonical_example())
KEPT = _answer("It is kept.", {"type": "object"}, {"trace_id": EXAMPLE_TRACE, "version": 1})
SCHEME = _answer("The scheme, and what of it is not understood.", "SchemeItem", _SCHEME)
SCHEMES = _answer("The schemes.", "SchemeList", {"items": [_SCHEME], "presets": []})
ENTRIES = or_table(
    _answer(
        "A line for each annotator and trajectory; or a table with a row for each step.",
        {"type": "string"},
        orjson.dumps(_ENTRY).decode() + "\n",
        NDJSON,
    ),
    COLUMNS,
)
CORRECTIONS = _answer(
    "How many there are.",
    "Corrections",
    {"written": 12, "unedited": 3, "changed": 1, "orphaned": 0, "no_answer": 2, "unreadable": 0},
)
TASK = _answer(
    "The files of the task.", {"type": "string", "format": "binary"}, "PK", "application/zip"
)
CHECKED = _answer(
    "What each scheme of the text comes to.",
    "CheckedSchemes",
    {
        "schemes": [
            {
                "name": "step_evaluation",
                "line": 2,
                "remarks": [{"line": 7, "key": "colour", "reason": "not a key that we know"}],
                "errors": [],
            }
        ]
    },
)
IMPORTED = _answer("What came of each line.", "ImportReport", _REPORT)
AGREEMENT = _answer(
    "The figures.",
    "Agreement",
    {
        "scheme": "potato",
        "project": "default",
        "trajectories": 4,
        "annotations": 22,
        "left_out": 1,
        "measures": [_MEASURE],
        "by_agent": {"planner": [_MEASURE]},
        "by_step_type": {},
    },
)
UNITS = _answer(
    "The units.",
    "UnitList",
    {
        "total": 1,
        "items": [
            {
                "trace_id": EXAMPLE_TRACE,
                "step_id": EXAMPLE_STEP,
                "agent": "planner",
                "step_type": "tool",
                "quote": "forecast: rain from Saturday",
                "values": {"ada": "correct", "bo": "incorrect"},
            }
        ],
    },
)
QUEUE = _answer("The queue as it stands.", "QueueItem", _QUEUE)
QUEUES = _answer("The queues.", "QueueList", {"items": [_QUEUE]})
QUEUED = _answer("The items.", "QueuedRuns", {"items": [_QUEUED]})
PLACE = _answer(
    "The item, and where the annotator is.",
    "QueuePlace",
    {
        "queue": "week 3",
        "scheme": "potato",
        "instructions": "Judge every step.",
        "blind": True,
        "item": _QUEUED,
        "is_mine": True,
        "at": 4,
        "of": 40,
        "done": 3,
    },
)
NEXT = _answer("What is next.", "NextRun", {"trace_id": EXAMPLE_TRACE, "left": 37})
SCORES = or_rows(
    _answer(
        "A page of scores; or all of them as lines, or as a table.",
        "ScoreList",
        {"items": [_SCORE_ITEM], "withheld": 0, "next_cursor": None},
    )
)
STORED_SCORES = _answer(
    "The scores as stored.",
    "ScoreList",
    {"items": [_SCORE_ITEM], "withheld": 0, "next_cursor": None},
)
