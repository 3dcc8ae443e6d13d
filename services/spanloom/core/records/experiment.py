"""The records for experiments: an experiment with its progress, and a result."""

from typing import Annotated, Any

from pydantic import Field

from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, From, Moment
from spanloom.core.records.evaluator import EXAMPLE_EVALUATOR, EXAMPLE_HASH
from spanloom.core.records.record import Record

EXAMPLE_EXPERIMENT = "trips-1.5"
_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
_AT = "1769860800000"


EXAMPLE_SUMMARY = {
    "n": 1,
    "ok": 1,
    "na": 0,
    "error": 0,
    "skipped": 0,
    "passed": 1,
    "pass_rate": 1.0,
    "mean": 1.0,
    "low": 0.2065,
    "high": 1.0,
}


def _ms(at_us: int) -> int | None:
    return at_us // 1_000 if at_us else None


def _dataset(kept: Any) -> str | None:  # an ``experiments.service.ListedExperiment``
    of = kept.experiment
    return f"{of.dataset}@{of.dataset_version}" if of.dataset else None


class ExperimentEvaluator(Record):
    """An evaluator of an experiment, as it was at the start of the experiment."""

    name: Annotated[str, Example(EXAMPLE_EVALUATOR)]
    kind: Annotated[str, Field(description="Such as `match`."), Example("match")]
    version: Annotated[
        str,
        Field(description="Changes when the same configuration may judge otherwise."),
        Example("1"),
    ]
    config_hash: Annotated[
        str, Field(description="SHA-256 of its configuration."), Example(EXAMPLE_HASH)
    ]
    stored_version: Annotated[
        int,
        Field(description="Version of the stored evaluator; 0: the request defined it."),
        Example(1),
    ]


class ExperimentSummary(Record):
    """Statistics of the results of a score. Repeats of an item are averaged first."""

    n: Annotated[int, Field(description="Results of all statuses."), Example(1)]
    ok: Annotated[int, Example(1)]
    na: Annotated[int, Example(0)]
    error: Annotated[int, Example(0)]
    skipped: Annotated[int, Example(0)]
    passed: Annotated[int, Field(description="Results that passed."), Example(1)]
    pass_rate: Annotated[
        float | None,
        Field(description="Over the items; null if no result passes or fails."),
        Example(1.0),
    ]
    mean: Annotated[
        float | None,
        Field(description="Over the items; null if no result is a number."),
        Example(1.0),
    ]
    low: Annotated[
        float | None,
        Field(description="Lower end of the 95 % interval of `pass_rate`, or else of `mean`."),
        Example(0.2065),
    ]
    high: Annotated[float | None, Field(description="Its upper end."), Example(1.0)]


class ExperimentItem(Record):
    """An experiment and its progress."""

    name: Annotated[str, From("experiment.name"), Example(EXAMPLE_EXPERIMENT)]
    project: Annotated[str, From("experiment.project"), Example("default")]
    status: Annotated[
        str, Field(description="`running`, `done`, `failed` or `cancelled`."), Example("done")
    ]
    reason: Annotated[
        str,
        Field(description="Why it failed; empty otherwise."),
        From(lambda kept: kept.end.reason if kept.end else ""),
        Example(""),
    ]
    total: Annotated[int, Field(description="Runs to judge, repeats among them."), Example(1)]
    done: Annotated[
        int, Field(description="Number of runs with results."), From("counts.done"), Example(1)
    ]
    errors: Annotated[
        int,
        Field(description="Of these, those that could not be judged because there is no run."),
        From("counts.errors"),
        Example(0),
    ]
    summary: Annotated[
        dict[str, ExperimentSummary] | None,
        Field(description="By the name of the score; null in lists."),
        From(None),
        Example({EXAMPLE_EVALUATOR: EXAMPLE_SUMMARY}),
    ] = None
    withheld: Annotated[
        int,
        Field(description="Results withheld in a blind queue; they are not in the summary."),
        From(None),
        Example(0),
    ] = 0
    dataset: Annotated[
        str | None,
        Field(description="`NAME@VERSION`; null: it judges stored runs without items."),
        From(_dataset),
        Example("trips@1"),
    ]
    runs: Annotated[
        dict[str, Any] | None,
        Field(description="The query that selected the stored runs."),
        From(None),
        Example(None),
    ] = None
    target: Annotated[
        dict[str, Any] | None,
        Field(description="The agent that answers the items; null: their stored runs are judged."),
        From(None),
        Example(None),
    ] = None
    repeats: Annotated[
        int,
        Field(description="Number of tries of each item."),
        From("experiment.repeats"),
        Example(1),
    ]
    evaluators: Annotated[
        list[ExperimentEvaluator],
        Field(description="As they were at its start; empty if scores were sent."),
        From(None),
    ]
    started_by: Annotated[
        str,
        Field(description="Who started it, as the client named them."),
        From("experiment.started_by"),
        Example("ada"),
    ]
    started_at: Annotated[
        Moment | None,
        Field(description="Milliseconds since the epoch; null if scores were sent."),
        From(lambda kept: _ms(kept.experiment.at_us)),
        Example(_AT),
    ]
    ended_at: Annotated[
        Moment | None,
        Field(description="Milliseconds since the epoch."),
        From(lambda kept: _ms(kept.end.at_us) if kept.end else None),
        Example(_AT),
    ]


class ExperimentList(Record):
    """The experiments of a project, by name."""

    items: list[ExperimentItem]


class ExperimentResult(Record):
    """A result of an experiment: a result of an evaluator, and what was judged."""

    name: Annotated[str, Field(description="The name of the score."), Example("path")]
    evaluator: Annotated[
        str, Field(description="The name of the evaluator."), Example(EXAMPLE_EVALUATOR)
    ]
    kind: Annotated[
        str,
        Field(description="Of the evaluator, such as `match`; empty if scores were sent."),
        Example("match"),
    ]
    status: Annotated[str, Field(description="`ok`, `na`, `skipped` or `error`."), Example("ok")]
    value: Annotated[
        float | bool | str | None,
        Field(description="A number, a boolean or a category."),
        Example(value=True),
    ] = None
    passed: Annotated[
        bool | None,
        Field(description="Whether it passed, if the evaluator decides that."),
        Example(value=True),
    ] = None
    label: Annotated[
        str, Field(description="What a number or boolean means, in words."), Example("")
    ]
    rationale: Annotated[str, Field(description="Why, in words."), Example("")]
    evidence: Annotated[
        list[dict[str, Any]], Field(description="The steps that show it."), Example([])
    ]
    metrics: Annotated[
        dict[str, float | None], Field(description="Further numbers, by name."), Example({})
    ]
    warnings: Annotated[
        list[str], Field(description="Always empty: scores do not store them."), Example([])
    ]
    error_code: Annotated[
        str, Field(description="Of an error, such as `missing_run`."), Example("")
    ]
    cost_usd: Annotated[
        float | None, Field(description="Cost of the evaluation, in US dollars."), Example(None)
    ] = None
    coverage: Annotated[
        float | None,
        Field(description="The share of the run that was read, 0 to 1; null: all of it."),
        Example(None),
    ] = None
    item: Annotated[
        str,
        Field(description="The key of the item; without an item, the trace id of the run."),
        Example(_TRACE),
    ]
    repeat: Annotated[int, Field(description="Number of the try, from 0."), Example(0)]
    trace_id: Annotated[str, Field(description="Empty: the item has no run."), Example(_TRACE)]
    project: Annotated[str, Example("default")]
    version: Annotated[int, Field(description="Of the trajectory; 0: unknown."), Example(1)]


EXPERIMENT = Declaration(ExperimentItem)
EXPERIMENT_RESULT = Declaration(ExperimentResult)
