"""The record for an online rule, with its progress."""

from typing import Annotated, Any

from pydantic import Field, JsonValue

from spanloom.core.model.notation import MAX_WHERE_BYTES
from spanloom.core.model.online_rule import MOST_DELAY_S, MOST_EVALUATORS, Unit, When
from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, From, Moment, Requested
from spanloom.core.records.record import Record
from spanloom.core.records.requested import requested_names

EXAMPLE_RULE = "limits"
_EVALUATORS = [{"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 4}}]
_MOST = 2**53


class RuleBudgetItem(Record):
    """Limits of a rule for a day (UTC); null is no limit."""

    usd: Annotated[
        float | None,
        Field(description="US dollars."),
        Example(1.5),
        Requested(ge=0, le=1e9, examples=[1.5]),
    ] = None
    tokens: Annotated[
        int | None,
        Field(description="Input and output tokens."),
        Example(None),
        Requested(ge=0, le=_MOST, examples=[100_000]),
    ] = None
    calls: Annotated[
        int | None,
        Field(description="Requests to a model."),
        Example(None),
        Requested(ge=0, le=_MOST, examples=[100]),
    ] = None
    runs: Annotated[
        int | None,
        Field(description="Judged runs."),
        Example(1000),
        Requested(ge=0, le=_MOST, examples=[1_000]),
    ] = None


class RuleProgressItem(Record):
    """Number of runs by state; the newest judgement of each run counts."""

    pending: Annotated[int, Field(description="Waiting."), Example(2)]
    done: Annotated[int, Field(description="Judged."), Example(120)]
    error: Annotated[
        int, Field(description="Could not be judged, and are not tried again."), Example(0)
    ]
    deferred: Annotated[
        int, Field(description="Waiting for the next day: the budget is spent."), Example(0)
    ]
    stale: Annotated[
        int,
        Field(description="Changed since, but judged again as often as allowed."),
        Example(0),
    ]
    lag_s: Annotated[
        float,
        Field(description="Seconds for which the oldest due run has waited."),
        Example(0.4),
    ]


class OnlineRuleItem(Record):
    """A rule that judges runs as they arrive."""

    name: Annotated[
        str, Field(description="Also the `rule_id` of its scores."), Example(EXAMPLE_RULE)
    ]
    project: Annotated[str, Example("default")]
    version: Annotated[
        int,
        Field(
            description="Number of changes to what it judges and how; the budget does not count."
        ),
        Example(1),
    ]
    where: Annotated[
        str,
        Field(description="Which runs, as in lists; empty: all."),
        Example("outcome = failed"),
        Requested(max_length=MAX_WHERE_BYTES, examples=["outcome = failed"]),
    ]
    evaluators: Annotated[
        list[dict[str, Any]],
        Field(description="In the form of `spanloom.evaluate`."),
        From(None),
        Example(_EVALUATORS),
        Requested(
            list[dict[str, JsonValue]],
            min_length=1,
            max_length=MOST_EVALUATORS,
            description="In the form of `spanloom.evaluate`; required for a new rule.",
            examples=[_EVALUATORS],
        ),
    ]
    sample: Annotated[
        float,
        Field(description="The share of runs, 0 to 1."),
        Example(0.1),
        Requested(ge=0, le=1, description="The share of runs.", examples=[0.1]),
    ]
    unit: Annotated[
        str,
        Field(description="What the sample is drawn from: `trace` or `conversation`."),
        Example("trace"),
        Requested(Unit, description="What the sample is drawn from.", examples=["trace"]),
    ]
    when: Annotated[
        str,
        Field(description="`settled`, or `partial`: runs that have not settled, too."),
        Example("settled"),
        Requested(
            When, description="How complete a run must be to be judged.", examples=["settled"]
        ),
    ]
    delay_s: Annotated[
        float,
        Field(description="Seconds to wait after a run meets `when`."),
        Example(0.0),
        Requested(ge=0, le=MOST_DELAY_S, examples=[0]),
    ]
    budget: Annotated[
        RuleBudgetItem | None,
        Field(description="Null: no limit."),
        From(None),
        Requested(examples=[{"runs": 1000}]),
    ] = None
    backfill: Annotated[
        dict[str, Any] | None,
        Field(
            description="Past runs to judge, by the start of their root: `from` (null: from "
            "the beginning) and `to` (null: up to the newest), milliseconds since the epoch; "
            "`taken`, the number of runs handed to judging; `done`, whether it has finished."
        ),
        From(None),
        Example({"from": "1769860800000", "to": "1769947200000", "taken": 24, "done": True}),
        Requested(description="Null: none.", examples=[{"from": "2026-01-31T12:00:00Z"}]),
    ] = None
    paused: Annotated[
        bool,
        Field(description="Whether it is paused and judges nothing."),
        From("is_paused"),
        Example(False),
        Requested(description="Whether to pause the rule.", examples=[False]),
    ]
    progress: Annotated[RuleProgressItem, From(None)]
    put_by: Annotated[
        str, Field(description="Who stored it last, as the client named them."), Example("ada")
    ]
    put_at: Annotated[
        Moment,
        Field(description="Milliseconds since the epoch."),
        From(lambda rule: rule.at_us // 1_000),
        Example("1769860800000"),
    ]


class OnlineRuleList(Record):
    """The online rules of a project, by name."""

    items: list[OnlineRuleItem]


RULE_MEMBERS = requested_names(OnlineRuleItem)
"""The members of a rule that a client sets."""
BACKFILL_PROGRESS = ("taken", "done")
"""The members of a backfill that only answers have."""
ONLINE_RULE = Declaration(OnlineRuleItem)
