"""Examples of responses about statistics and fields, for the OpenAPI description."""

from spanloom.api.responses import answer, or_rows
from spanloom.core.records.field import FieldList, Stats, ValueItem, ValueList
from spanloom.core.records.record import example_of

STATS = or_rows(
    answer(
        "The groups and their numbers; also as lines, or as a table.",
        "Stats",
        example_of(Stats),
    )
)
SPELLED = answer(
    "The query in the language.",
    "SpelledWhere",
    {"where": 'has(type = tool and name = "search") and tokens > 10000'},
)
FIELDS = or_rows(
    answer(
        "Every field; or as lines, or as a table.",
        "FieldList",
        example_of(FieldList),
    )
)
VALUES = or_rows(
    answer(
        "Values, the most frequent first; or as lines, or as a table.",
        "ValueList",
        example_of(ValueList),
    )
)
COMPARED = answer(
    "The differences, most certain first.",
    "Behaviour",
    {
        "format": "spanloom.behaviour/1",
        "a": {"runs": 412, "clusters": 412, "question": 'release = "1.4.0"'},
        "b": {"runs": 398, "clusters": 398, "question": 'release = "1.5.0"'},
        "differences": [
            {
                "feature": "tool: verify",
                "kind": "share",
                "a": 0.0,
                "b": 0.0528,
                "difference": 0.0528,
                "low": 0.033,
                "high": 0.0794,
                "p_holm": 0.00004,
                "n_a": 0,
                "n_b": 21,
                "runs_a": '(release = "1.4.0") and has(tool = "verify")',
                "runs_b": '(release = "1.5.0") and has(tool = "verify")',
                "words": "tool verify ran in 5.3% of the runs of B, 0.0% of A",
            }
        ],
        "no_difference_shown": 31,
        "only_a": [],
        "only_b": [
            {
                "feature": "tool: verify",
                "runs": 21,
                "line": '(release = "1.5.0") and has(tool = "verify")',
            }
        ],
        "remarks": [],
    },
)
FACETS = answer(
    "The fields, each with its frequent values.",
    "FacetList",
    {
        "items": [
            {
                "field": "agent",
                "values": [example_of(ValueItem)],
                "truncated": False,
            }
        ]
    },
)
