"""Response models of agreement: figures, each null with a reason where it is undefined."""

from typing import Annotated

from pydantic import BaseModel, Field

from spanloom.annotation import agreement as agreeing
from spanloom.core.annotation import agreement
from spanloom.core.annotation import comparison as comparing


class Figure(BaseModel):
    """A figure, or why there is none."""

    value: Annotated[float | None, Field(description="Null where it is not defined.")] = None
    reason: Annotated[str, Field(description="Why there is no value; else empty.")]

    @classmethod
    def of(cls, figure: agreement.Figure) -> "Figure":
        """Return a figure as a response model."""
        return cls(value=figure.value, reason=figure.reason)


class Confusion(BaseModel):
    """How often two annotators said two things of one unit."""

    a: str
    b: str
    units: int


class PairItem(BaseModel):
    """Two annotators over the units that both judged."""

    annotators: list[str]
    units: int
    kappa: Figure
    percent: Figure
    confusion: list[Confusion]


class MeasureItem(BaseModel):
    """How far annotators agree on one thing."""

    name: Annotated[
        str,
        Field(description="correctness, error_type, severity, score, decisive_step, …"),
    ]
    level: Annotated[str, Field(description="nominal, ordinal or interval.")]
    units: Annotated[int, Field(description="Steps, or trajectories, that anybody judged.")]
    shared: Annotated[int, Field(description="Of them, judged by two or more.")]
    alpha: Annotated[Figure, Field(description="Krippendorff's.")]
    interval: Annotated[
        list[float] | None,
        Field(description="Of alpha, 95 %, by drawing trajectories; null where it has none."),
    ] = None
    kappa: Annotated[Figure, Field(description="Cohen's, the mean over pairs.")]
    percent: Figure
    pairs: list[PairItem]

    @classmethod
    def of(cls, measure: comparing.Measure) -> "MeasureItem":
        """Return a measure as a response model."""
        return cls(
            name=measure.name,
            level=measure.level,
            units=measure.units,
            shared=measure.shared,
            alpha=Figure.of(measure.alpha),
            interval=None if measure.interval is None else list(measure.interval),
            kappa=Figure.of(measure.kappa),
            percent=Figure.of(measure.percent),
            pairs=[_pair(pair) for pair in measure.pairs],
        )


class Agreement(BaseModel):
    """How far annotators agree."""

    scheme: str
    project: str
    trajectories: int
    annotations: int
    left_out: Annotated[
        int, Field(description="Annotations of steps that say something else now, or have gone.")
    ]
    measures: list[MeasureItem]
    by_agent: dict[str, list[MeasureItem]]
    by_step_type: dict[str, list[MeasureItem]]

    @classmethod
    def of(cls, scheme: str, project: str, found: agreeing.Agreement) -> "Agreement":
        """Return computed agreement as a response model."""
        return cls(
            scheme=scheme,
            project=project,
            trajectories=found.gathered.traces,
            annotations=len(found.gathered.marks),
            left_out=found.gathered.left_out,
            measures=[MeasureItem.of(one) for one in found.measures],
            by_agent={k: [MeasureItem.of(m) for m in v] for k, v in found.by_agent.items()},
            by_step_type={k: [MeasureItem.of(m) for m in v] for k, v in found.by_step_type.items()},
        )


class UnitItem(BaseModel):
    """What annotators say of one step, or of one run."""

    trace_id: str
    step_id: Annotated[str, Field(description="Empty: the whole run.")]
    agent: str
    step_type: str
    quote: Annotated[str, Field(description="Name and beginning of the step.")]
    values: Annotated[dict[str, str], Field(description="By annotator.")]


class UnitList(BaseModel):
    """What a figure was counted from."""

    total: Annotated[int, Field(description="All that there are; `items` may be fewer.")]
    items: list[UnitItem]


def _pair(pair: comparing.PairFigures) -> PairItem:
    confusion = [
        Confusion(a=str(a), b=str(b), units=units) for (a, b), units in pair.confusion.items()
    ]
    return PairItem(
        annotators=list(pair.annotators),
        units=pair.units,
        kappa=Figure.of(pair.kappa),
        percent=Figure.of(pair.percent),
        confusion=confusion,
    )
