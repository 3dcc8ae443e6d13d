"""The record of an online rule, with its progress."""

from typing import Annotated, Any

from pydantic import Field

from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, From, Moment
from spanloom.core.records.record import Record

EXAMPLE_RULE = "limits"


class RuleBudgetItem(Record):
    """What a rule may take in a day (UTC); null is no limit."""

    usd: Annotated[float | None, Field(description="US dollars."), Example(1.5)] = None
    tokens: Annotated[int | None, Field(description="In and out."), Example(None)] = None
    calls: Annotated[int | None, Field(description="Requests to a model."), Example(None)] = None
    runs: Annotated[int | None, Field(description="Judged runs."), Example(1000)] = None


class RuleProgressItem(Record):
    """How many runs are in which state; of each run its newest work counts."""

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
        Field(description="Have changed since, but were judged again often enough."),
        Example(0),
    ]
    lag_s: Annotated[
        float,
        Field(description="Seconds for which the oldest one that is due waits."),
        Example(0.4),
    ]


class OnlineRuleItem(Record):
    """A rule that judges runs as they come in."""

    name: Annotated[
        str, Field(description="Also the `rule_id` of its scores."), Example(EXAMPLE_RULE)
    ]
    project: Annotated[str, Example("default")]
    version: Annotated[
        int,
        Field(description="Counts changes of what it judges and how; of the budget it does not."),
        Example(1),
    ]
    where: Annotated[
        str, Field(description="Which runs, as in lists; empty: all."), Example("outcome = failed")
    ]
    evaluators: Annotated[
        list[dict[str, Any]],
        Field(description="As `spanloom.evaluate` takes them."),
        From(None),
        Example([{"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 4}}]),
    ]
    sample: Annotated[float, Field(description="The share of runs, 0 to 1."), Example(0.1)]
    unit: Annotated[
        str,
        Field(description="What the sample is drawn of: `trace` or `conversation`."),
        Example("trace"),
    ]
    when: Annotated[
        str,
        Field(description="`settled`, or `partial`: runs that have not settled, too."),
        Example("settled"),
    ]
    delay_s: Annotated[
        float, Field(description="Seconds to wait after a run has come so far."), Example(0.0)
    ]
    budget: Annotated[RuleBudgetItem | None, Field(description="Null: no limit."), From(None)] = (
        None
    )
    backfill: Annotated[
        dict[str, Any] | None,
        Field(
            description="Runs of the past to judge, by the start of their root: `from` (null: from "
            "the beginning) and `to` (null: up to the newest), milliseconds since the epoch; "
            "`taken`, how many it has given to judge; `done`, whether it is at its end."
        ),
        From(None),
        Example({"from": "1769860800000", "to": "1769947200000", "taken": 24, "done": True}),
    ] = None
    paused: Annotated[
        bool,
        Field(description="Whether it judges nothing at the moment."),
        From("is_paused"),
        Example(False),
    ]
    progress: Annotated[RuleProgressItem, From(None)]
    put_by: Annotated[
        str, Field(description="Who put it last, as they call themselves."), Example("ada")
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


ONLINE_RULE = Declaration(OnlineRuleItem)
