"""The list of requirements is complete: each has a test that runs, each test an answer."""

from __future__ import annotations

from docs.conformance_table import SUITE, proofs, requirements


def test_every_requirement_has_a_test() -> None:
    numbers = [requirement.number for requirement in requirements()]
    assert numbers == list(range(1, 76))
    assert sorted(proofs()) == numbers


def test_every_test_tells_the_answer() -> None:
    silent = [proof.test for found in proofs().values() for proof in found if not proof.answer]
    assert silent == []


def test_none_is_left_out_of_the_run() -> None:
    for file in SUITE.glob("test_*.py"):
        text = file.read_text("utf-8")
        for way in ("skip", "xfail", "slow"):
            assert f"mark.{way}" not in text, file.name
