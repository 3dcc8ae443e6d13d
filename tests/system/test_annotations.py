"""Annotations in a started service survive a kill; API, commands and SQL return the same ones."""

from __future__ import annotations

import signal
import time
from threading import Thread
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.support.annotated_runs import SEED
from tests.support.otlp_requests import START_NS, message_of, wire_span

from spanloom.core.model.annotation import ANNOTATOR_HEADER

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

TRACE = "5" * 32
QUICK = ("serve", "--root-quiet-s=0.3", "--no-root-quiet-s=1")
PATH = f"/v1/trajectories/{TRACE}/annotations"
SCHEME = "step_evaluation"


def send_run(spanloom: RunningSpanloom, trace_id: str = TRACE) -> list[str]:
    """Send a run of an agent that calls three tools; return the ids of these steps."""
    url = f"{spanloom.addresses['otlp_http']}/v1/traces"
    spans = [
        wire_span(
            trace_id,
            number,
            parent=0 if number == 1 else 1,
            name="agent" if number == 1 else "tool",
            attributes={
                "gen_ai.operation.name": "invoke_agent" if number == 1 else "execute_tool",
                "gen_ai.agent.name" if number == 1 else "gen_ai.tool.name": f"name {number}",
            },
            start_ns=START_NS + number,
        )
        for number in range(1, 5)
    ]
    headers = {"content-type": "application/x-protobuf"}
    assert (
        httpx.post(url, content=message_of(spans).SerializeToString(), headers=headers).status_code
        == 200
    )
    until = time.monotonic() + 60
    while time.monotonic() < until:
        answer = httpx.get(f"{spanloom.api}/v1/trajectories/{trace_id}")
        if answer.status_code == 200 and answer.json()["extraction"]["status"] == "settled":
            (agent,) = answer.json()["agent_steps"]
            return [step["id"] for step in agent["steps"]]
        time.sleep(0.1)
    raise AssertionError(answer.text)


def ask(spanloom: RunningSpanloom, method: str, path: str, who: str = "ada", **more: Any) -> Any:
    answer = httpx.request(
        method, spanloom.api + path, headers={ANNOTATOR_HEADER: who}, timeout=30, **more
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def mark(spanloom: RunningSpanloom, step_id: str, write_id: str, **fields: Any) -> Any:
    item = {"step_id": step_id, "write_id": write_id, **fields}
    return ask(spanloom, "POST", PATH, json={"scheme": SCHEME, "items": [item]})["items"][0]


@pytest.mark.nightly
def test_what_was_saved_survives_a_kill_and_is_one_row(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    first = start_spanloom(*QUICK)
    steps = send_run(first)
    ask(first, "PUT", f"/v1/schemes/{SCHEME}", json={"text": SEED})
    mark(first, steps[0], "write-0001", correctness="correct")
    wrong = {"correctness": "incorrect", "severity": "major", "rationale": "</script> 中文 😀"}
    said = mark(first, steps[1], "write-0002", **wrong)
    first.stop(signal.SIGKILL)
    second = start_spanloom(*QUICK, "--sql-port=0")
    assert mark(second, steps[1], "write-0002", **wrong) == said
    found = ask(second, "GET", PATH)
    assert [row["revision"] for row in found["items"]] == [1, 1]
    (score,) = found["scores"]
    assert (score["score"], score["score_complete"]) == (95, False)
    windows = [
        Thread(target=mark, args=(second, steps[2], f"window-{n:04}"), kwargs={name: value})
        for n, (name, value) in enumerate(
            [("correctness", "incorrect"), *([("value", {f"k{n}": n}) for n in range(7)])]
        )
    ]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    row = next(r for r in ask(second, "GET", PATH)["items"] if r["step_id"] == steps[2])
    assert (row["revision"], row["correctness"], len(row["value"])) == (8, "incorrect", 7)
    check_commands(second, run_spanloom, tmp_path)
    check_sql(second)
    assert httpx.post(f"{second.api}/v1/deletions", params={"trace_id": TRACE}).status_code == 200
    assert httpx.get(second.api + PATH).status_code == 404
    assert ask(second, "GET", "/v1/scores")["items"] == []
    assert said_in_sql(second) == {}
    assert httpx.get(f"{second.api}/v1/annotations").text == ""


def said_in_sql(spanloom: RunningSpanloom) -> dict[str, float]:
    """Return each annotator's score of the run, as queried over the SQL port."""
    marks = "(SELECT count() FROM v_annotations)"
    text = (
        f"SELECT Author, ValueNumber, {marks} FROM v_scores WHERE Target = 'trajectory' FORMAT CSV"
    )
    answer = httpx.post(spanloom.addresses["sql"], content=text)
    rows = [line.split(",") for line in answer.raise_for_status().text.splitlines()]
    assert {int(count) for *_, count in rows} <= {6}
    return {author.strip('"'): float(score) for author, score, _ in rows}


def check_sql(spanloom: RunningSpanloom) -> None:
    """SQL returns the same scores as the API, until a blind queue withholds them."""
    scores = ask(spanloom, "GET", "/v1/scores", params={"target": "trajectory"})["items"]
    assert said_in_sql(spanloom) == {row["author"]: row["value"] for row in scores} != {}
    queue = {"scheme": SCHEME, "annotators": ["ada", "bo"], "each": 2, "blind": True}
    path = "/v1/queues/blind"
    assert ask(spanloom, "PUT", path, json={**queue, "trace_ids": [TRACE]})
    assert said_in_sql(spanloom) == {}


def check_commands(spanloom: RunningSpanloom, run: RunSpanloom, folder: Path) -> None:
    """The command exports annotations and imports them; a second import adds nothing."""
    url = f"--api-url={spanloom.api}"
    file = folder / "out.jsonl"
    done = run("annotations", "export", url, "--output", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    file.write_text(file.read_text().replace('"annotator":"ada"', '"annotator":"eve"'))
    for added in ("3 annotations", "0 annotations"):
        done = run("annotations", "import", url, str(file))
        assert done.returncode == 0, done.stderr
        assert added in done.stdout
    task = folder / "task"
    done = run("annotations", "export", url, "--format", "potato", "--output", str(task))
    assert done.returncode == 0, done.stderr
    done = run("annotations", "import", url, "--dry-run", str(task))
    assert done.returncode == 0, done.stderr
    assert "would be added" in done.stdout
    for form in ("sft", "dpo"):
        done = run("annotations", "export", url, "--format", form)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "corrections: none\n")
    for form, start in (
        ("invariant", '{"index":0,"messages":['),
        ("snorkel", '{"step_type":"ROOT_'),
    ):
        done = run("annotations", "export", url, "--format", form)
        assert (done.returncode, done.stdout.startswith(start), done.stderr) == (0, True, "")
    for form, begin in (("csv", b"project,trace_id,scheme"), ("parquet", b"PAR1")):
        table = folder / f"table.{form}"
        done = run("annotations", "export", url, "--format", form, "--output", str(table))
        assert (done.returncode, done.stderr) == (0, "")
        assert table.read_bytes().startswith(begin)
    broken = folder / "broken.jsonl"
    broken.write_text('{"trace_id": "' + "e" * 32 + '", "annotator": "a", "scheme": "potato"}\n')
    done = run("annotations", "import", url, str(broken))
    assert done.returncode == 1
    assert "no trajectory" in done.stderr
    check_schemes(run, url, folder / "scheme.yaml")


def check_schemes(run: RunSpanloom, url: str, file: Path) -> None:
    """A scheme is stored, with warnings about oddities, or refused with the reason."""
    for text, status, said in (
        (SEED + "    colour: red\n", 0, "colour"),
        ("annotation_type: trajectory_eval\nname: another\n", 2, "another"),
        ("a: [", 2, "line"),
    ):
        file.write_text(text, "utf-8")
        done = run("annotations", "scheme", SCHEME, str(file), url)
        assert (done.returncode, said in done.stderr) == (status, True), (done.stdout, done.stderr)
    done = run("annotations", "scheme", SCHEME, str(file.parent / "none"), url)
    assert done.returncode == 1
    assert "No such file" in done.stderr
