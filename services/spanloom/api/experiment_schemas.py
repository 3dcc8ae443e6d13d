"""Request models for experiments, and examples of responses."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from spanloom.api.pages import DEFAULT_LIMIT, cursor_field, limit_field
from spanloom.api.query import decode_position, demand, encode_cursor, fingerprint
from spanloom.api.responses import answer, or_rows
from spanloom.core.model.experiment import BEFORE_ALL_RESULTS, ResultPlace
from spanloom.core.records.experiment import (
    EXPERIMENT,
    EXPERIMENT_RESULT,
    ExperimentEvaluator,
    ExperimentItem,
    ExperimentResult,
    ExperimentSummary,
)
from spanloom.experiments.evaluators import read_evaluators
from spanloom.experiments.results import Results
from spanloom.experiments.service import ListedExperiment

_FIRST = ["first", 0, "path", "path"]


class ResultsQuery(BaseModel):
    """Which results to list."""

    model_config = ConfigDict(extra="ignore", frozen=True)  # `project` is a separate parameter

    score: Annotated[
        str, Field(max_length=512, description="Only of this score.", examples=["path"])
    ] = ""
    limit: Annotated[int, limit_field("results")] = DEFAULT_LIMIT
    cursor: Annotated[str | None, cursor_field(encode_cursor(_FIRST), longest=8192)] = None

    def after(self, name: str) -> ResultPlace:
        """Return the position after which the page starts; raises ``InvalidQueryError``."""
        if not self.cursor:
            return BEFORE_ALL_RESULTS
        return decode_position(self.cursor, fingerprint(self, f"experiment {name}"), _place)

    def cursor_after(self, name: str, place: ResultPlace) -> str:
        """Return the cursor that starts after a position."""
        return encode_cursor(list(place), fingerprint(self, f"experiment {name}"))


def _place(*parts: object) -> ResultPlace:
    demand(len(parts) == len(ResultPlace._fields))
    item, repeat, evaluator, score = parts
    demand(isinstance(item, str) and isinstance(evaluator, str) and isinstance(score, str))
    demand(isinstance(repeat, int) and 0 <= repeat < 2**32)
    return ResultPlace(*parts)  # type: ignore[arg-type]  # validated above


class ExperimentResultList(BaseModel):
    """Results of an experiment, by item, repeat, evaluator and score."""

    items: list[ExperimentResult]
    withheld: Annotated[
        int, Field(description="Number of scores of others withheld in a blind queue.")
    ]
    next_cursor: Annotated[str | None, Field(description="Null on the last page.")] = None


def item_of(listed: ListedExperiment, results: Results | None = None) -> ExperimentItem:
    """Return an experiment as a response model, with the summary of its results."""
    request = listed.request
    summary = None
    if results is not None:
        found = results.summary()
        summary = {name: ExperimentSummary.trusted(dict(one)) for name, one in found.items()}
    evaluators = read_evaluators(listed.experiment.evaluators)
    return ExperimentItem.made_of(
        listed,
        summary=summary,
        withheld=results.withheld if results else 0,
        runs=request.get("runs"),
        target=request.get("target"),
        evaluators=list(map(ExperimentEvaluator.made_of, evaluators)),
    )


ONE = answer("The experiment.", "ExperimentItem", EXPERIMENT.example)
MANY = answer(
    "The experiments.",
    "ExperimentList",
    {"items": [{**EXPERIMENT.example, "summary": None}]},
)
RESULTS = or_rows(
    answer(
        "A page of results; or all of them as lines, or as a table.",
        "ExperimentResultList",
        {"items": [EXPERIMENT_RESULT.example], "withheld": 0, "next_cursor": None},
    )
)
COMPARED = answer(
    "What differs.",
    "Comparison",
    {
        "format": "spanloom.compare/1",
        "common": 8,
        "only_a": [],
        "only_b": ["ninth"],
        "scores": [
            {
                "score": "path",
                "n": 8,
                "a": 0.25,
                "b": 1.0,
                "difference": 0.75,
                "low": 0.5,
                "high": 1.0,
                "p": 0.03125,
                "p_holm": 0.03125,
                "verdict": "better",
                "detectable": 0.75,
            }
        ],
    },
)
