"""Reading ``eval.yaml``: what is accepted, and every fault with line, key and suggestion."""

from __future__ import annotations

import json

import pytest

from spanloom.core.annotation import yaml_tree
from spanloom.evaluation.files.config.reading import read_config
from spanloom.evaluation.files.config.text import MOST_BYTES, ConfigError

WHOLE = """\
name: trips
runs: {project: default, where: 'root_name = "planner"', since: 7d, limit: 500}
evaluators:
  - {name: good, kind: stub, at_least: 1e-1}
  - {name: raw, kind: stub, also: [a, b]}
gates:
  - {score: good, stat: pass_rate, min: 0.9}
  - {score: good, min: 0.8, bound: lower}
  - {score: raw/b, stat: mean, max: 5000}
  - {score: good, no_worse_than: base.json, margin: 0.05}
max_errors: 0
min_items: 5
"""
HEAD = "name: x\nevaluators:\n  - {name: good, kind: stub}\n"


def faults(text: str | bytes) -> list[str]:
    raw = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(ConfigError) as refused:
        read_config(raw)
    return str(refused.value).split("\n")


def test_a_whole_file_is_read() -> None:
    config = read_config(WHOLE.encode())
    assert (config.name, config.file.max_errors, config.file.min_items) == ("trips", 0, 5)
    assert config.scores == ["good", "raw", "raw/a", "raw/b"]
    assert [gate.bound for gate in config.gates] == [None, "lower", None, None]
    assert config.file.runs is not None
    assert config.file.runs.limit == 500


def test_yaml_and_json_are_the_same_file_even_with_tabs() -> None:
    value = {"name": "j", "evaluators": [{"name": "good", "kind": "stub", "at_least": 1e-3}]}
    config = read_config(json.dumps(value, indent="\t").encode())
    same = read_config(b"name: j\nevaluators: [{name: good, kind: stub, at_least: 0.001}]")
    assert [one.config_hash for one in config.evaluators] == [
        one.config_hash for one in same.evaluators
    ]


def test_a_file_without_a_name_has_that_of_its_file() -> None:
    assert read_config(HEAD[8:].encode(), name="nightly").name == "nightly"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "gate: []\n", "line 4: gate: it is no key here; did you mean gates?"),
        (HEAD + "runs: {sinec: 7d}\n", "line 4: runs.sinec: it is no key here; did you mean since"),
        (HEAD + "runs:\n  limit: 0\n", "line 5: runs.limit: input should be greater"),
        (HEAD + "gates:\n- score: good\n", "line 5: gates.0: one of min, max and no_worse"),
        (HEAD + "gates: [{score: good, min: yes}]", "line 4: gates.0.min: a number is needed"),
        (HEAD + "gates: [{score: good, min: .nan}]", "line 4: gates.0.min: input should be a fin"),
        (HEAD + "gates: [{score: good, min: 2, max: 1}]", "line 4: gates.0: min 2 is above max 1"),
        (HEAD + "gates: [{score: good, stat: p51, min: 1}]", "line 4: gates.0.stat: input should"),
        (
            HEAD + "gates: [{score: good, stat: p50, min: 1, bound: lower}]",
            "line 4: gates.0: p50 has no interval",
        ),
        (HEAD + "gates: [{score: good, min: 1, margin: 1}]", "line 4: gates.0: margin belongs"),
        (
            HEAD + "gates:\n  - {score: good, min: 1}\n  - score: god\n    min: 1\n",
            "line 6: gates.1.score: no evaluator of the file gives the score 'god'; did you mean",
        ),
        (
            "evaluators:\n- {name: raw, kind: stub, also: [a]}\ngates: [{score: raw/b, min: 1}]",
            "line 3: gates.0.score: no evaluator of the file gives the score 'raw/b'; did you mean",
        ),
        (HEAD + "max_errors: -1\n", "line 4: max_errors: input should be greater"),
        (HEAD + "max_errors: true\n", "line 4: max_errors: input should be a valid integer"),
        (HEAD + "name: y\n", "line 4: name: it is there twice, first in line 1"),
        (HEAD + "  - {name: good, kind: stub}\n", "line 4: evaluators.1.name: another evaluator"),
        ("name: x\n", "line 1: evaluators: field required"),
        ("evaluators: []\n", "line 1: evaluators: list should have at least 1 item"),
        ("evaluators: [3]\n", "line 1: evaluators.0: input should be a valid dictionary"),
        (
            "evaluators:\n  - name: x\n    kind: stub\n    at_leats: 1\n",
            "line 4: evaluators.0.at_leats: it is no key of this evaluator; did you mean at_least?",
        ),
        ("evaluators:\n- kind: hunch\n", "line 2: evaluators.0.kind: it is one of"),
        ("evaluators: [{kind: [a]}]", "line 1: evaluators.0.kind: it is one of"),
        ("evaluators: [{kind: stub, name: {a: 1}}]", "line 1: evaluators.0.name: a text of 1"),
        (
            "evaluators:\n- kind: stub\n  file: nowhere\n",
            "line 3: evaluators.0.file: there is no such file",
        ),
        ("evaluators: [{kind: python}]", "line 1: evaluators.0.kind: it runs the code of a file"),
        ("- 1\n", "line 1: the text: input should be a valid dictionary"),
        ("", "line 1: the text: it is empty"),
        ("a: [", "line 1: the text: it is no YAML"),
        ("[" * 600, "line 1: the text: it is no YAML"),
        ("!!python/object/apply:os.system [ls]", "line 1: the text: input should be a valid dict"),
        (b"name: x\nevaluators: [\xff]", "line 2: the text: it is no UTF-8"),
        (b"#" * (MOST_BYTES + 1), "line 1: the text: it has over 1 MiB"),
    ],
)
def test_a_fault_has_its_line_its_key_and_what_to_do(text: str | bytes, said: str) -> None:
    assert faults(text)[0].startswith(said)


def test_all_faults_are_named_at_once() -> None:
    found = faults("evaluators:\n- {kind: stub, x: 1}\n- {kind: no}\n")
    assert [one.split(": ")[:2] for one in found] == [
        ["line 2", "evaluators.0.x"],
        ["line 3", "evaluators.1.kind"],
    ]


def nested(levels: int, line: str) -> str:
    return "\n".join(
        [
            "a0: &a0 {x: 1}",
            *(line.format(n=n, refs=", ".join([f"*a{n - 1}"] * 9)) for n in range(1, levels)),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        nested(12, "a{n}: &a{n} [{refs}]"),
        nested(12, "a{n}: &a{n} {{<<: [{refs}]}}"),
        "a: &a {<<: *a}",
        "a: &a [*a]",
        HEAD + "gates:\n" + "  - {score: good, min: 1}\n" * 10_000,
        HEAD + "gates: [" + "{score: good, min: 1}," * 10_000 + "]",
    ],
    ids=["aliases", "merges", "merges itself", "holds itself", "gates", "gates in a line"],
)
def test_what_expands_without_end_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_tree, "MOST_NODES", 2_000)
    assert faults(text)[0].startswith("line ")


def test_a_merge_is_read_as_yaml_has_it() -> None:
    text = b"""
evaluators:
  - &one {name: good, kind: stub, at_least: 0.5}
  - {<<: *one, name: better}
"""
    assert [one.config for one in read_config(text).evaluators] == [{"at_least": 0.5}] * 2


def test_a_question_is_checked_only_where_it_is_asked() -> None:
    config = read_config(HEAD.encode() + b"runs:\n  where: 'durtion > 1'\n")
    with pytest.raises(ConfigError, match=r"line 5: runs\.where: no run field 'durtion'.*duration"):
        config.check_question()
