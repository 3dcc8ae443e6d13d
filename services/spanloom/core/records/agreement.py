"""The records for agreement; a statistic that is undefined is null, with a reason."""

from typing import Annotated

from pydantic import Field

from spanloom.core.records.declared import Example, From
from spanloom.core.records.record import Record, example_of

_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


class Figure(Record):
    """A number, or why there is none."""

    value: Annotated[float | None, Field(description="Null if undefined."), Example(0.743)] = None
    reason: Annotated[
        str, Field(description="Why there is no value; otherwise empty."), Example("")
    ]


_PERCENT = {"value": 0.9, "reason": ""}


class Confusion(Record):
    """How often one annotator answered `a` and the other `b` for the same unit."""

    a: Annotated[str, Example("correct")]
    b: Annotated[str, Example("incorrect")]
    units: Annotated[int, Example(1)]


class PairItem(Record):
    """Two annotators over the units that both judged."""

    annotators: Annotated[
        list[str], From(lambda pair: list(pair.annotators)), Example(["ada", "bo"])
    ]
    units: Annotated[int, Example(10)]
    kappa: Annotated[Figure, From(lambda pair: Figure.made_of(pair.kappa))]
    percent: Annotated[Figure, From(lambda pair: Figure.made_of(pair.percent)), Example(_PERCENT)]
    confusion: Annotated[
        list[Confusion],
        From(
            lambda pair: [
                Confusion(a=str(a), b=str(b), units=units)
                for (a, b), units in pair.confusion.items()
            ]
        ),
    ]


class MeasureItem(Record):
    """The agreement of annotators on one question."""

    name: Annotated[
        str,
        Field(description="correctness, error_type, severity, score, decisive_step, …"),
        Example("correctness"),
    ]
    level: Annotated[str, Field(description="nominal, ordinal or interval."), Example("nominal")]
    units: Annotated[
        int, Field(description="Steps, or trajectories, that anybody judged."), Example(12)
    ]
    shared: Annotated[int, Field(description="Of these, judged by two or more."), Example(10)]
    alpha: Annotated[
        Figure,
        Field(description="Krippendorff's alpha."),
        From(lambda measure: Figure.made_of(measure.alpha)),
    ]
    interval: Annotated[
        list[float] | None,
        Field(
            description="95 % interval of alpha, by bootstrap over trajectories; null if undefined."
        ),
        From(lambda measure: None if measure.interval is None else list(measure.interval)),
        Example([0.61, 0.84]),
    ] = None
    kappa: Annotated[
        Figure,
        Field(description="Cohen's kappa, the mean over pairs."),
        From(lambda measure: Figure.made_of(measure.kappa)),
        Example({"value": None, "reason": "no unit was judged by two annotators"}),
    ]
    percent: Annotated[
        Figure, From(lambda measure: Figure.made_of(measure.percent)), Example(_PERCENT)
    ]
    pairs: Annotated[
        list[PairItem], From(lambda measure: list(map(PairItem.made_of, measure.pairs)))
    ]


_MEASURES = [example_of(MeasureItem)]


class Agreement(Record):
    """The agreement of annotators."""

    scheme: Annotated[str, From(None), Example("potato")]
    project: Annotated[str, From(None), Example("default")]
    trajectories: Annotated[int, From("gathered.traces"), Example(4)]
    annotations: Annotated[int, From(lambda agreement: len(agreement.gathered.marks)), Example(22)]
    left_out: Annotated[
        int,
        Field(
            description="Annotations left out because their steps have changed or no longer exist."
        ),
        From("gathered.left_out"),
        Example(1),
    ]
    measures: Annotated[
        list[MeasureItem],
        From(lambda agreement: list(map(MeasureItem.made_of, agreement.measures))),
        Example(_MEASURES),
    ]
    by_agent: Annotated[
        dict[str, list[MeasureItem]],
        From(
            lambda agreement: {
                k: list(map(MeasureItem.made_of, v)) for k, v in agreement.by_agent.items()
            }
        ),
        Example({"planner": _MEASURES}),
    ]
    by_step_type: Annotated[
        dict[str, list[MeasureItem]],
        From(
            lambda agreement: {
                k: list(map(MeasureItem.made_of, v)) for k, v in agreement.by_step_type.items()
            }
        ),
        Example({}),
    ]


class UnitItem(Record):
    """Annotations of one step, or of one run."""

    trace_id: Annotated[str, Example(_TRACE)]
    step_id: Annotated[str, Field(description="Empty: the whole run."), Example("00f067aa0ba902b7")]
    agent: Annotated[str, Example("planner")]
    step_type: Annotated[str, Example("tool")]
    quote: Annotated[
        str,
        Field(description="Name and beginning of the step."),
        Example("forecast: rain from Saturday"),
    ]
    values: Annotated[
        dict[str, str],
        Field(description="By annotator."),
        Example({"ada": "correct", "bo": "incorrect"}),
    ]


class UnitList(Record):
    """Steps or runs with their annotations, as counted in an agreement."""

    total: Annotated[
        int, Field(description="Number of all units; `items` may have fewer."), Example(1)
    ]
    items: list[UnitItem]
