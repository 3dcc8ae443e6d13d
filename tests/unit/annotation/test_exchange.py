"""Export and import of annotations: in Spanloom's own format and in Potato's three formats."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
import zipfile
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.annotated_runs import SEED, store_run, tool_step
from tests.support.replaced_values import replaced
from tests.unit.annotation.conftest import KEY, SCHEME

from spanloom.client.transfer.potato import read_potato, write_task
from spanloom.core.annotation.potato.files import MOST_TEXT, cut, read_file, write_item
from spanloom.core.annotation.potato.folder import TaskWriter
from spanloom.core.annotation.scheme_reader import plain_scheme
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.annotation.conftest import Desk

ODD = '</script> "quoted" \\ 中文 😀 \n<b>not</b>'
WRONG = {"error_type": "execution", "error_subtype": "wrong_tool", "severity": "major"}


def export(desk: Desk) -> list[dict[str, Any]]:
    text = desk.ask("GET", "/v1/annotations").text
    return [orjson.loads(line) for line in text.splitlines()]


def take(desk: Desk, *entries: dict[str, Any], dry_run: bool = False) -> Any:
    body = b"\n".join(map(orjson.dumps, entries))
    params = {"dry_run": dry_run}
    return desk.ask("POST", "/v1/annotations/import", "", content=body, params=params)


def entry(*steps: dict[str, Any] | None, who: str = "eve", **more: Any) -> dict[str, Any]:
    return {
        "trace_id": KEY.trace_id,
        "scheme": SCHEME,
        "annotator": who,
        "steps": list(steps),
        **more,
    }


def test_a_member_of_another_type_refuses_no_other_entry(desk: Desk) -> None:
    judged = {"step_id": desk.steps[0], "correctness": "incorrect", **WRONG, "step_index": 0}
    whole = entry(judged, origin="human", n_steps=3, value={"note": "x"})
    bad = list(replaced(whole))
    done = take(desk, *bad, entry(judged, who="zoe"), dry_run=True)
    refused = [one["line"] for one in done["refused"]]
    assert refused
    assert len(bad) + 1 not in refused


def test_what_was_adjudicated_stays_so(desk: Desk) -> None:
    for who in ("ada", "bo"):
        desk.mark(0, "correct", who=who)
    decided = {"step_id": desk.steps[0], "correctness": "incorrect", **WRONG}
    desk.write(decided, who="bo (adjudication)", origin="adjudication")
    lines = export(desk)
    again = take(desk, *lines)
    assert (again["added"], again["there"], again["refused"]) == (0, 3, [])
    desk.write(
        {"step_id": desk.steps[0], "is_deleted": True},
        who="bo (adjudication)",
        origin="adjudication",
    )
    assert take(desk, *lines)["added"] == 1
    origins = {line["annotator"]: line["origin"] for line in export(desk)}
    assert origins == {"ada": "human", "bo": "human", "bo (adjudication)": "adjudication"}


def mark_all(desk: Desk) -> None:
    desk.mark(0, "correct")
    desk.mark(1, "incorrect", **WRONG, rationale=ODD)
    desk.mark(2, "partially_correct", severity="minor", value={"odd": [1, None]})


def test_what_goes_out_comes_in_and_again_adds_nothing(desk: Desk) -> None:
    mark_all(desk)
    (line,) = export(desk)
    assert (line["score"], line["score_complete"], line["n_steps"]) == (94, True, 3)
    moved = {**line, "annotator": "eve"}
    assert take(desk, moved, dry_run=True)["added"] == 3
    assert len(export(desk)) == 1
    assert take(desk, moved)["added"] == 3
    assert take(desk, moved) == {
        "dry_run": False,
        "added": 0,
        "there": 3,
        "refused": [],
        "flags": [],
    }
    ours, theirs = sorted(export(desk), key=lambda found: found["annotator"])
    said = [{k: s.get(k) for k in ("step_id", "rationale", "value")} for s in ours["steps"]]
    assert [
        {k: s.get(k) for k in ("step_id", "rationale", "value")} for s in theirs["steps"]
    ] == said
    assert (theirs["origin"], theirs["score"]) == ("import", 94)


def test_what_somebody_says_already_is_not_said_again(desk: Desk) -> None:
    mark_all(desk)
    (line,) = export(desk)
    report = take(desk, line)
    assert (report["added"], report["there"]) == (0, 3)
    assert export(desk) == [line]
    changed = {**line["steps"][0], "correctness": "incorrect", "severity": "minor"}
    assert take(desk, {**line, "steps": [changed, *line["steps"][1:]]})["added"] == 1


def test_holes_missing_steps_and_unknown_options_are_read(desk: Desk) -> None:
    odd = {"step_index": 1, "correctness": "dubious", "severity": "", "colour": "red"}
    report = take(desk, entry(None, odd, {"step_index": 2, "correctness": None}, n_steps=3))
    assert (report["added"], report["refused"]) == (1, [])
    assert "dubious" in report["flags"][0]["detail"]
    (row,) = desk.read("eve")["items"]
    assert (row["step_id"], row["correctness"], row["value"]) == (
        desk.steps[1],
        "dubious",
        {"colour": "red"},
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"steps": [{"step_index": 0, "correctness": "correct"}], "n_steps": 2}, "it has 2 steps"),
        ({"steps": [{"step_id": "f" * 16, "correctness": "correct"}]}, "no step"),
        ({"steps": [{"step_index": 9, "correctness": "correct"}], "n_steps": 3}, "no step 9"),
        ({"trace_id": "e" * 32}, "no trajectory"),
        ({"annotator": ""}, "needs trace_id and annotator"),
        ({"scheme": "none"}, "no scheme"),
    ],
)
def test_an_entry_that_does_not_fit_is_refused_as_a_whole(
    desk: Desk, changes: dict[str, Any], why: str
) -> None:
    good = {"step_id": desk.steps[0], "correctness": "correct"}
    report = take(desk, {**entry(good), **changes}, entry(good, who="fay"))
    assert (report["added"], [found["line"] for found in report["refused"]]) == (1, [1])
    assert why in report["refused"][0]["detail"]
    assert {row["annotator"] for row in desk.read()["items"]} == {"fay"}


@pytest.mark.parametrize("body", [b"no json", b"[1]", b'"text"'])
def test_a_body_that_is_none_is_refused(desk: Desk, body: bytes) -> None:
    desk.ask("POST", "/v1/annotations/import", "", 422, content=body)


def document(desk: Desk) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(
        desk.store.documents.get(KEY.trace_id, Reach.only(KEY.project)) or b""
    )
    return found


def test_a_task_for_potato_has_what_it_asks_for(desk: Desk, tmp_path: Path) -> None:
    mark_all(desk)
    desk.mark(0, "correct", who="..%2Fbo")
    scheme = {"annotation_type": "trajectory_eval", "name": SCHEME}
    assert write_task(tmp_path / "t", [document(desk)], [scheme], export(desk)) == 2
    config = json.loads((tmp_path / "t/config.yaml").read_text())
    assert config["item_properties"] == {"id_key": "id", "text_key": "task_description"}
    (item,) = json.loads((tmp_path / "t/items.json").read_text())
    assert [step["step_id"] for step in item["steps"]] == list(desk.steps)
    assert item["steps"][0]["action"] == 'search({"q":"question 2"})'
    state = json.loads((tmp_path / "t/annotation_output/ada/user_state.json").read_text())
    ((key, text),) = state["instance_id_to_label_to_value"][KEY.trace_id]
    assert key == {"schema": SCHEME, "name": SCHEME}
    answer = json.loads(text)
    assert (answer["score"], answer["score_complete"]) == (94, True)
    assert answer["steps"][1] == {
        "step_index": 1,
        "correctness": "incorrect",
        **WRONG,
        "rationale": ODD,
    }
    bo = json.loads((tmp_path / "t/annotation_output/_bo/user_state.json").read_text())
    ((_, text),) = bo["instance_id_to_label_to_value"][KEY.trace_id]
    assert json.loads(text)["score"] is None
    assert json.loads(text)["steps"][1] == {"step_index": 1, "correctness": None}


def test_potatos_folder_comes_back_as_it_went_out(desk: Desk, tmp_path: Path) -> None:
    mark_all(desk)
    write_task(tmp_path / "t", [document(desk)], [], export(desk))
    (back,) = read_potato([tmp_path / "t"])
    assert isinstance(back, dict)
    assert back["annotator"] == "ada"
    report = take(desk, {**back, "annotator": "eve"})
    assert report["added"] == 3
    rows = {r["step_id"]: r for r in desk.read("eve", annotator="eve")["items"]}
    assert rows[desk.steps[1]]["rationale"] == ODD
    assert rows[desk.steps[2]]["value"] == {"odd": [1, None]}


ANSWER = json.dumps({"steps": [{"step_index": 0, "correctness": "correct"}], "score": 100})


def as_csv() -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["user_id", "instance_id", "step_evaluation.step_evaluation", "other"])
    writer.writerow(["ada", KEY.trace_id, ANSWER, "x"])
    return text.getvalue().encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("annotations.csv", as_csv()),
        (
            "agent_evaluation.json",
            orjson.dumps(
                {
                    "summary": {"annotators": ["ada"]},
                    "per_trace": [
                        {
                            "trace_id": KEY.trace_id,
                            "annotator_count": 1,
                            "annotations": {SCHEME: {"values": [{SCHEME: ANSWER}]}},
                        }
                    ],
                }
            ),
        ),
        (
            "user_state.json",
            orjson.dumps(
                {
                    "user_id": "ada",
                    "instance_id_to_label_to_value": {
                        KEY.trace_id: [[{"schema": SCHEME, "name": SCHEME}, ANSWER]]
                    },
                }
            ),
        ),
    ],
)
def test_every_form_of_potatos_is_read(name: str, content: bytes) -> None:
    (said,) = read_file(name, content)
    assert (said["item"], said["annotator"], said["scheme"]) == (KEY.trace_id, "ada", SCHEME)
    assert said["answer"]["steps"][0]["correctness"] == "correct"


def test_several_whom_a_file_does_not_name_are_numbered() -> None:
    trace = {"trace_id": KEY.trace_id, "annotations": {SCHEME: {"values": [{SCHEME: ANSWER}] * 2}}}
    whole = {"summary": {"annotators": ["ada", "bo"]}, "per_trace": [trace]}
    said = read_file("agent_evaluation.json", orjson.dumps(whole))
    assert [one["annotator"] for one in said] == ["annotator 1", "annotator 2"]


def test_a_file_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="none of Potato's"):
        list(read_file("x.json", b'{"a": 1}'))


def test_long_texts_are_cut_with_a_note(desk: Desk) -> None:
    assert cut("x" * (MOST_TEXT + 5)).endswith("[…5 characters more]")
    assert "agent" in write_item(document(desk), with_agents=True)["steps"][0]


def test_the_page_gets_and_gives_the_files_that_the_command_does(
    desk: Desk, tmp_path: Path
) -> None:
    mark_all(desk)
    path = "/v1/annotations/potato"
    packed = desk.client.get(path, params={"scheme": SCHEME}).content
    archive = zipfile.ZipFile(io.BytesIO(packed))
    files = {name: archive.read(name) for name in archive.namelist()}
    scheme = plain_scheme(SEED, SCHEME)
    assert isinstance(scheme, dict)
    write_task(tmp_path / "spanloom", [document(desk)], [scheme], export(desk))
    assert files == {
        str(file.relative_to(tmp_path / "spanloom")): file.read_bytes()
        for file in (tmp_path / "spanloom").rglob("*")
        if file.is_file()
    }
    given = [{"path": name, "text": files[name].decode()} for name in files if "config" not in name]
    report = desk.ask("POST", path, json={"files": given})
    assert (report["added"], report["there"]) == (0, 3)
    desk.ask("POST", path, status=422, json={"files": [{"path": "a.json", "text": "[1]"}]})
    for text, told in (("{", "no file of Potato's"), ("PK\x03\x04", "unpack it")):
        given = [{"path": "good.csv", "text": "id,user\n"}, {"path": "x/a.json", "text": text}]
        refused = desk.ask("POST", path, status=422, json={"files": given})
        assert "x/a.json: " in refused["detail"]
        assert told in refused["detail"]


MANY = 600


def test_a_task_has_any_number_of_runs(desk: Desk) -> None:
    ids = [f"{number:032x}" for number in range(1, MANY + 1)]
    step = tool_step(2)
    for trace_id in ids:
        store_run(desk.store, TraceKey("default", trace_id), [step])
    said = {"step_id": step.id, "correctness": "correct"}
    entries = [entry(said, who="ada", trace_id=trace_id) for trace_id in ids]
    entries += [entry(said, who=who, trace_id=ids[0]) for who in ("a/b", "a_b")]
    assert take(desk, *entries)["added"] == MANY + 2
    packed = desk.client.get("/v1/annotations/potato").content
    archive = zipfile.ZipFile(io.BytesIO(packed))
    assert archive.testzip() is None
    assert [item["id"] for item in json.loads(archive.read("items.json"))] == ids
    states = [name for name in archive.namelist() if name.endswith("user_state.json")]
    assert len(states) == 3
    said_by = [json.loads(archive.read(n))["instance_id_to_label_to_value"] for n in states]
    assert sorted(map(len, said_by)) == [1, 1, MANY]
    files = [{"path": n, "text": archive.read(n).decode()} for n in ["items.json", *states]]
    back = desk.ask("POST", "/v1/annotations/potato", json={"files": files})
    assert (back["added"], back["there"]) == (0, MANY + 2)


def test_a_task_is_written_run_by_run(desk: Desk, tmp_path: Path) -> None:
    run = document(desk)
    run["agent_steps"][0]["steps"][0]["output"] = "o" * 15_000
    rationale = {"step_id": desk.steps[0], "correctness": "incorrect", "rationale": "r" * 15_000}
    tracemalloc.start()
    with (tmp_path / "scratch").open("w+b") as scratch:
        writer = TaskWriter("many", lambda path: (tmp_path / path[-10:]).open("wb"), scratch)
        for number in range(MANY):
            writer.add(
                {**run, "id": f"{number:032x}"}, [entry(rationale, trace_id=f"{number:032x}")]
            )
        assert len(list(writer.finish([]))) == 2
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) > 25e6
    assert peak < 2e6
