"""How checks run: skipped without their facts; a fact that could not be read is reported once."""

from __future__ import annotations

from spanloom.core.model.diagnosis import FindingStatus
from spanloom.doctor.check import Check, Verdict, examine, ok
from spanloom.doctor.checks import CHECKS
from spanloom.doctor.facts import Broken, Facts, Unknown

NOTHING = Unknown("not here")


def facts(**known: object) -> Facts:
    names = [name for name in Facts.__dataclass_fields__ if name != "now_ns"]
    return Facts(**{"now_ns": 0, **dict.fromkeys(names, NOTHING), **known})  # type: ignore[arg-type]  # any facts


def first_check(failures: list[str]) -> Verdict:
    """Tells how many."""
    return ok(str(len(failures)))


def second_check(failures: list[str], now_ns: int) -> Verdict:
    """Tells how many, and when."""
    return ok(f"{len(failures)} at {now_ns}")


BOTH = [Check.of(first_check), Check.of(second_check)]


def test_a_check_gets_what_it_names() -> None:
    found = examine(BOTH, facts(failures=["x"]))
    assert [(f.name, f.found) for f in found] == [("first-check", "1"), ("second-check", "1 at 0")]


def test_without_its_facts_it_is_skipped_with_the_reason() -> None:
    for finding in examine(BOTH, facts()):
        assert (finding.status, finding.found) == (FindingStatus.SKIPPED, "not here")


def test_what_is_broken_is_told_once() -> None:
    first, second = examine(BOTH, facts(failures=Broken("torn", "mend it")))
    assert (first.status, first.found, first.todo) == (FindingStatus.PROBLEM, "torn", "mend it")
    assert (second.status, second.todo) == (FindingStatus.SKIPPED, "")
    assert "torn" in second.found


def test_every_check_has_a_name_of_its_own_a_meaning_and_facts() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    for check in CHECKS:
        assert check.meaning.endswith("."), check.name
        assert set(check.needs) <= set(Facts.__dataclass_fields__), check.name


def test_all_is_skipped_where_nothing_is_known() -> None:
    assert {finding.status for finding in examine(CHECKS, facts())} == {FindingStatus.SKIPPED}
