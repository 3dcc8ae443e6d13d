"""Reading annotation schemes: which are accepted, accepted with a remark, or refused."""

from __future__ import annotations

import json

import pytest
from tests.support.annotated_runs import SEED

from spanloom.core.annotation.presets import presets
from spanloom.core.annotation.scheme import Severity
from spanloom.core.annotation.scheme_reader import read_scheme
from spanloom.core.annotation.yaml_tree import Remark, SchemeError

HEAD = "annotation_type: trajectory_eval\nname: s\ndescription: d\n"


def remarks(text: str) -> list[tuple[int, str]]:
    return [(remark.line, remark.key) for remark in read_scheme(text).remarks]


def refusals(text: str) -> list[Remark]:
    with pytest.raises(SchemeError) as refused:
        read_scheme(text)
    assert str(refused.value).startswith("line ")
    return list(refused.value.remarks)


def test_the_published_scheme_is_read_as_it_is() -> None:
    scheme, found = read_scheme(SEED)
    assert found == []
    assert (scheme.name, scheme.kind, scheme.max_score) == (
        "step_evaluation",
        "trajectory_eval",
        100,
    )
    assert scheme.options == ("correct", "incorrect", "partially_correct")
    assert [t.name for t in scheme.error_types] == ["reasoning", "execution", "safety"]
    assert scheme.subtypes_of("execution") == ("wrong_tool", "wrong_args", "api_error")
    assert scheme.severities == (
        Severity("minor", 1),
        Severity("major", 5),
        Severity("critical", 10),
    )


def test_json_is_yaml_too_and_a_scheme_stands_alone() -> None:
    alone = {"annotation_type": "trajectory_eval", "name": "s", "description": "d"}
    scheme = read_scheme(json.dumps(alone)).scheme
    assert scheme.options == ("correct", "incorrect", "partially_correct")
    assert [s.weight for s in scheme.severities] == [1, 5, 10]


@pytest.mark.parametrize(
    ("more", "line", "key"),
    [
        ("correctness_options: [good, bad]", 4, "correctness_options"),
        ("error_types:\n  - 7\n  - reasoning", 5, "error_types"),
        ("error_types:\n  - name: a\n    subtypes: ['b::c::d']", 6, "subtypes"),
        ("severities:\n  - name: minor", 5, "severities"),
        ("severities:\n  - name: minor\n    weight: -0.5", 6, "weight"),
        ("colour: red", 4, "colour"),
    ],
)
def test_what_potato_reads_otherwise_is_loaded_with_a_remark(
    more: str, line: int, key: str
) -> None:
    assert remarks(HEAD + more) == [(line, key)]


def test_an_empty_description_is_remarked_on() -> None:
    assert remarks(HEAD.replace("description: d", "description: ''")) == [(3, "description")]


@pytest.mark.parametrize(
    ("more", "line", "key"),
    [
        ("correctness_options: [yes, no]", 4, "correctness_options"),
        ("correctness_options: []", 4, "correctness_options"),
        ("correct_option: fine", 4, "correct_option"),
        ("error_types: reasoning", 4, "error_types"),
        ("severities:\n  - minor", 5, "severities"),
        ("severities:\n  - name: minor\n    weight: much", 6, "weight"),
        ("max_score: -1", 4, "max_score"),
        ("show_score: maybe", 4, "show_score"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(more: str, line: int, key: str) -> None:
    assert [(r.line, r.key) for r in refusals(HEAD + more)] == [(line, key)]


def test_forms_that_potato_takes_are_taken() -> None:
    scheme = read_scheme(
        HEAD + "error_types:\n  - text\n  - label: labelled\n    subtypes: alone\n"
        "severities:\n  - {name: small, weight: 2}\nlabel_requirement: {required: true}\n"
    ).scheme
    assert [(t.name, t.subtypes) for t in scheme.error_types] == [
        ("text", ()),
        ("labelled", ("alone",)),
    ]
    assert scheme.severities == (Severity("small", 2),)
    assert scheme.is_required


def test_an_option_of_ones_own_can_be_the_right_one() -> None:
    scheme, found = read_scheme(HEAD + "correctness_options: [good, bad]\ncorrect_option: good")
    assert (scheme.correct_option, found) == ("good", [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a\n- b: [",
        "\t",
        "[" * 5_000,
        "a: &a [1]\nb: *c",
        "x: &x [1,2,3,4,5,6,7,8,9]\n"
        + "\n".join(
            f"x{n}: &x{n} [{', '.join([f'*x{n - 1}' if n else '*x'] * 9)}]" for n in range(9)
        ),
        SEED.replace("    ", "").replace("  ", ""),
        "annotation_type: rating\nname: n",
        "name: n",
        "!!python/object/apply:os.system ['true']",
        "? [a, b]\n: c",
        "name: \x86",
        "a: 2026-13-45",
        "a: 0x_",
        "\udc00",
    ],
)
def test_what_is_no_scheme_is_refused_and_nothing_is_run(text: str) -> None:
    assert refusals(text)


def test_of_several_schemes_one_is_named() -> None:
    both = "annotation_schemes:\n" + "".join(
        f"  - annotation_type: trajectory_eval\n    name: {name}\n    description: d\n"
        for name in ("one", "two")
    )
    assert read_scheme(both, "two").scheme.name == "two"
    with pytest.raises(SchemeError, match="one, two"):
        read_scheme(both)


def test_related_schemes_are_known_by_their_kind() -> None:
    reward = read_scheme("annotation_type: process_reward\nname: r\ndescription: d\n").scheme
    assert (reward.options, reward.correct_option) == (("1", "-1"), "1")
    blame = read_scheme("annotation_type: failure_attribution\nname: f\ndescription: d\n").scheme
    assert not blame.is_stepwise


def test_agents_are_named_and_reasons_asked_for() -> None:
    blame = "annotation_type: failure_attribution\nname: f\ndescription: d\nagents: "
    assert read_scheme(f"{blame}[boss, 7, boss]").scheme.agents == ("boss", "7")
    assert read_scheme(f"{blame}[]").scheme.agents == ()
    for wrong in ("boss", "[[boss]]", "{boss: 1}"):
        assert refusals(blame + wrong)[0].key == "agents"
    edit = "annotation_type: trajectory_edit\nname: e\ndescription: d\n"
    assert read_scheme(edit + "require_reason_on_edit: true\n").scheme.needs_reason
    assert remarks(edit + "edit_final_answer: true\neditable_fields: [action]\n") == [
        (4, "edit_final_answer"),
        (5, "editable_fields"),
    ]


def test_presets_have_their_codes_and_a_definition_of_each() -> None:
    assert list(presets()) == ["mast", "potato", "trail"]
    codes = [s.split()[0] for t in presets()["mast"].error_types for s in t.subtypes]
    assert codes == [f"{a}.{b}" for a, most in ((1, 5), (2, 6), (3, 3)) for b in range(1, most + 1)]
    for scheme in presets().values():
        subtypes = {s for t in scheme.error_types for s in t.subtypes}
        assert subtypes == set(scheme.definitions), scheme.name
        assert read_scheme(scheme.text).remarks == []
