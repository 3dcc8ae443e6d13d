"""The rules ``secrets`` and ``pii``: no text may contain data that redaction would find.

Evidence has the position of a match; no result contains the match itself.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from spanloom.core.errors import StartupError
from spanloom.core.recognisers import RECOGNISERS
from spanloom.evaluation.contract.result import Evidence
from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.rules.globs import Globs, Names
from spanloom.evaluation.rules.rule import MAX_EVIDENCE, ORDER, Rule, Verdict, times
from spanloom.evaluation.rules.searching import Search, join_new

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.core.recognisers import Recogniser
    from spanloom.evaluation.rules.facts import Facts
    from spanloom.evaluation.rules.rule import Check

Kind = Literal["email", "card", "iban", "ip", "phone", "us_ssn"]
KINDS: Final[tuple[Kind, ...]] = ("email", "card", "iban", "ip", "phone", "us_ssn")


class _Places(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    side: Literal["input", "output", "both"] = "both"
    tools: Globs | None = None
    """Only texts of these tools; by default, texts of all steps and of the run."""


class _Pii(_Places):
    kinds: Annotated[list[Kind], Field(min_length=1)] = list(KINDS)


def _places(value: object) -> object:
    """Convert a rule's value to options: ``true`` means all texts, a string is the ``side``."""
    if value is True:
        return {}
    return {"side": value} if isinstance(value, str) else value


def _kinds(value: object) -> object:
    return {"kinds": value} if isinstance(value, list) else _places(value)


Secrets = Annotated[_Places, BeforeValidator(_places)]
Pii = Annotated[_Pii, BeforeValidator(_kinds)]


def _secrets(places: _Places) -> Check:
    return _none_in(places, {"secret": _recogniser("secret")})


def _pii(options: _Pii) -> Check:
    return _none_in(options, {kind: _recogniser(kind) for kind in options.kinds})


def _recogniser(name: str) -> Recogniser:
    try:
        return RECOGNISERS[name]()
    except StartupError as error:
        raise ValueError(str(error)) from error


def _none_in(places: _Places, recognisers: Mapping[str, Recogniser]) -> Check:
    names = None if places.tools is None else Names(places.tools)
    sides = ("input", "output") if places.side == "both" else (places.side,)

    def check(facts: Facts) -> Verdict:
        steps = [facts.top, *facts.agents, *facts.steps]
        if names is not None:
            steps = [step for step in facts.tools if step.name in names]
        texts = dict(_texts(steps, sides))
        key = "said", places.side, tuple(places.tools or ())
        search = Search(recognisers)
        found: Sequence[tuple[str, Evidence]] = ()
        if search.finds_any(facts.once(key, lambda: join_new(texts.values()))):
            found = list(_places_in(texts, search))
        return _verdict(found, recognisers)

    return check


def _texts(
    steps: Iterable[DocumentStep], sides: Iterable[str]
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield texts with step id and side; an agent occurs twice, also as a step of its caller."""
    for step in steps:
        for side in sides:
            if text := getattr(step, side):
                yield (step.id, side), text


def _places_in(
    texts: Mapping[tuple[str, str], str], search: Search
) -> Iterator[tuple[str, Evidence]]:
    for (step_id, side), text in texts.items():
        for kind, start, end in search.matches(text):
            yield kind, Evidence(step_id=step_id, field=side, start=start, end=end)


def _verdict(found: Sequence[tuple[str, Evidence]], recognisers: Mapping[str, object]) -> Verdict:
    counts = Counter(kind for kind, _ in found)
    metrics = {kind: float(counts[kind]) for kind in recognisers}
    if not found:
        return Verdict(True, f"found no {', '.join(recognisers)}", (), metrics)
    rationale = ", ".join(f"{kind} ({times(count, 'place')})" for kind, count in counts.items())
    evidence = [place for _, place in found[:MAX_EVIDENCE]]
    return Verdict(False, f"found {rationale}", evidence, metrics)


_READS = ORDER | {Part.INPUTS, Part.OUTPUTS}
SECRETS: Final[Rule[Any]] = Rule(Secrets, _secrets, _READS)
PII: Final[Rule[Any]] = Rule(Pii, _pii, _READS)
