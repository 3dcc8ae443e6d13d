"""Request models for the comparison of two sets of runs, and the condition that selects a set."""

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from spanloom.api.pages import OfProject
from spanloom.api.query import Filters, When, read_where
from spanloom.core.query.selection import all_of
from spanloom.core.query.where.short_forms import quoted
from spanloom.core.values.moments import rfc3339_us
from spanloom.evaluation.comparison.behaviour import MIN_SUPPORT

if TYPE_CHECKING:
    from spanloom.core.query.where.tree import Condition

MOST_RUNS = 10_000
"""Maximum runs of a set that are compared: the newest runs."""
_LONGEST = 2_000
"""Maximum characters of a ``where``; queries in a response contain it and may be longer."""


class ComparedRuns(BaseModel):
    """A set of runs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    where: Annotated[
        str,
        Field(
            max_length=_LONGEST,
            description="Selects the runs; empty for all.",
            examples=['release = "1.4.0"'],
        ),
    ] = ""
    project: OfProject = None
    since: Annotated[
        When | None, Field(description="Begun at or after; or `7d` ago.", examples=["7d"])
    ] = None
    until: Annotated[
        When | None, Field(description="Begun before; or `1d` ago.", examples=["1d"])
    ] = None

    def question(self, after_ns: int | None = None) -> str:
        """Return the ``where`` of the set, limited to runs that started later than ``after_ns``."""
        named = f"project = {quoted(self.project)}" if self.project else ""
        parts = [
            f"({self.where})" if self.where.strip() else "",
            named,
            f"start >= {_at(self.since)}" if self.since is not None else "",
            f"start < {_at(self.until)}" if self.until is not None else "",
            f"start > {_at(after_ns)}" if after_ns is not None else "",
        ]
        present = [part for part in parts if part]
        return self.where if present == [f"({self.where})"] else " and ".join(present)


class ComparedQuery(BaseModel):
    """Which runs to compare."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    a: Annotated[
        ComparedRuns,
        Field(
            description="The runs before, such as an older release.",
            examples=[{"where": 'release = "1.4.0"'}],
        ),
    ]
    b: Annotated[
        ComparedRuns,
        Field(description="The runs after.", examples=[{"where": 'release = "1.5.0"'}]),
    ]
    min_support: Annotated[
        int,
        Field(ge=1, le=MOST_RUNS, description="Runs of a set that a feature needs.", examples=[5]),
    ] = MIN_SUPPORT
    seed: Annotated[
        str,
        Field(
            max_length=100,
            description="Seed of random draws: the same seed gives the same answer.",
            examples=["0"],
        ),
    ] = "0"


class _AllOf(Filters):  # with the defaults of the list of runs
    where: str = ""


def condition_of_question(text: str) -> "Condition | None":
    """Return the condition that the list of runs applies for this ``where``, with its defaults."""
    return all_of(_AllOf(where=text).filter(), read_where(text))


def _at(instant_ns: int) -> str:
    """Return a time as a ``where`` literal, to the microsecond."""
    return quoted(rfc3339_us(instant_ns // 1_000))
