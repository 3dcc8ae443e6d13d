"""The file of redaction rules: what it may contain, and one line for each mistake in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.collector.intake.redaction.redactor import make_redactor
from spanloom.collector.intake.redaction.rules import Action, Place, read_rules
from spanloom.core.errors import StartupError
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """
[[rules]]
name = "passwords"
keys = ["*password*"]
recognisers = ["secret"]
action = "drop"
where = ["span", "event"]
"""


def test_a_rule(tmp_path: Path) -> None:
    (path := tmp_path / "rules.toml").write_text(GOOD)
    (rule,) = read_rules(path)
    assert (rule.name, rule.action, rule.keys) == ("passwords", Action.DROP, ("*password*",))
    assert rule.places == {Place.SPAN, Place.EVENT}
    assert rule.covers_key("db.Password.old")
    assert not rule.covers_key("db.user")


def test_a_bracket_in_a_pattern_is_a_bracket(tmp_path: Path) -> None:
    (path := tmp_path / "rules.toml").write_text(GOOD.replace("*password*", "a[0].?"))
    (rule,) = read_rules(path)
    assert rule.covers_key("a[0].b")
    assert not rule.covers_key("a0.b")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('rules = [{name="a", action="burn", keys=["x"]}]', ["rules[0].action: "]),
        ('rules = [{name="a", action="drop"}]', ["rules[0] (a): it needs keys or recognisers"]),
        ('rules = [{name="a", action="drop", keys=["x"], where=["moon"]}]', ["rules[0].where[0]"]),
        ('rules = [{name="a b", action="drop", keys=["x"], more=1}]', ["[0].name", "[0].more"]),
        (
            'rules = [{name="a", action="drop", recognisers=["mail"]}, {name="b", action="mask"}]',
            ["'mail' is no recogniser; there are secret, email", "rules[1] (b): it needs keys"],
        ),
        (
            'rules = [{name="a", action="drop",keys=["x"]}, {name="a", action="mask",keys=["y"]}]',
            ["rules[0] (a): the name is used twice", "rules[1] (a)"],
        ),
        ('rules = [{name="a", action="hash", keys=["x"]}]', ["give --redaction-secret-file"]),
        ("rules = 1 2", ["cannot be read"]),
        ("", ["rules: "]),
        ("rules = []", ["rules: there are none"]),
    ],
)
def test_mistakes(text: str, lines: list[str], tmp_path: Path) -> None:
    (path := tmp_path / "rules.toml").write_text(text)
    with pytest.raises(StartupError) as refused:
        make_redactor(path, None, Metrics(), no_content=False)
    shown = str(refused.value).splitlines()
    assert len(shown) == len(lines)
    assert all(line in said for line, said in zip(lines, shown, strict=True))
    assert all(said.startswith("--redaction-rules") for said in shown)


def test_a_short_secret(tmp_path: Path) -> None:
    (secret := tmp_path / "secret").write_text("short\n")
    with pytest.raises(StartupError, match=r"holds 5 bytes: it takes at least 16"):
        make_redactor(None, secret, Metrics(), no_content=True)


def test_nothing_asked_for_is_nothing_to_do() -> None:
    assert make_redactor(None, None, Metrics(), no_content=False) is None
