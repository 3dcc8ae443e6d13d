"""``spanloom convert``: files in, files out, names of what is left out, and the exit status."""

from __future__ import annotations

import errno
import gzip
import io
import json
import sys
from typing import IO, TYPE_CHECKING, Any

import orjson
import pytest
from pyarrow import parquet, table
from tests.support.command_output import run_command
from tests.support.drafted import planner
from tests.support.made_formats import register

from spanloom.client.transfer.output import Output
from spanloom.core.formats.entry import Of
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from pathlib import Path

RUN = orjson.dumps(planner())
TRACE = planner()["id"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs.jsonl").write_bytes(RUN + b"\n")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_document_stays_as_it_is() -> None:
    for named in (["--from", "canonical"], ["--from", "jsonl"], []):
        said = run_command(["convert", *named, "--to", "canonical", "runs.jsonl"])
        assert said.partition("\n")[2].encode() == RUN + b"\n"


def test_the_neighbours_of_what_is_broken_are_taken(folder: Path) -> None:
    (folder / "runs.jsonl").write_bytes(
        RUN + b'\n{"br\n{"foreign":1}\n{"root_step":1,"extraction":1}\n'
    )
    arguments = ["--to", "coze", "--report", "report", "-o", "coze.jsonl", "runs.jsonl"]
    said = run_command(["convert", *arguments]).splitlines()
    assert [line.split(": ")[:2] for line in said[2:-1]] == [
        ["runs.jsonl", "line 2"],
        ["runs.jsonl", "line 3"],
        ["runs.jsonl", "line 4"],
    ]
    assert said[-1] == "--- exit status 1"
    report = json.loads((folder / "report").read_bytes())
    assert (report["from"], report["to"]) == ("canonical", "coze")
    assert (report["items"], report["written"], len(report["rejected"])) == (4, 1, 3)
    assert orjson.loads((folder / "coze.jsonl").read_bytes())["id"] == TRACE
    assert {path.name for path in folder.iterdir()} == {"runs.jsonl", "coze.jsonl", "report"}


def test_spans_are_put_together_by_trace_from_all_files(folder: Path) -> None:
    run_command(["convert", "--to", "otlp", "-o", "spans.json", "runs.jsonl"])
    (group,) = orjson.loads((folder / "spans.json").read_bytes())["resourceSpans"]
    spans = group["scopeSpans"][0]["spans"]
    for n, some in enumerate((spans[:3], spans[3:])):
        piece = {"scopeSpans": [{**group["scopeSpans"][0], "spans": some}]}
        (folder / f"half{n}").write_bytes(orjson.dumps({"resourceSpans": [piece]}))
    said = run_command(["convert", "--from", "otlp", "--to", "canonical", "half1", "half0"])
    made = orjson.loads(said.partition("\n")[2])
    assert (made["root_step"], made["agent_steps"]) == (
        planner()["root_step"],
        planner()["agent_steps"],
    )


@pytest.mark.usefixtures("folder")
def test_standard_input_is_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN + b"\n{")))
    said = run_command(["convert", "--to", "jsonl", "-"])
    assert said.splitlines()[1].encode() == RUN
    assert "\n-: line 2: it is no JSON" in said
    assert said.endswith("--- exit status 1\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "nope", "runs.jsonl"], "'nope' is not one of"),
        (["--from", "nope", "--to", "coze", "runs.jsonl"], "'nope' is not one of"),
        (["--to", "coze", "missing"], "missing: there is no such file"),
        (["--to", "coze", "."], ".: it is a directory"),
        (["--to", "parquet", "runs.jsonl"], "`spanloom export --format parquet` writes it"),
        (["--to", "coze", "-o", ".", "runs.jsonl"], "-o .: it is a directory"),
        (["--to", "coze", "x" * 300], "File name too long"),
        (["--to", "coze", "-o", "runs.jsonl/x", "runs.jsonl"], "runs.jsonl is no folder"),
        (["--to", "coze", "-o", "none/x", "runs.jsonl"], "there is no folder"),
        (["--to", "sts", "-o", "runs.jsonl", "runs.jsonl"], "it is a file, and a folder is needed"),
        (
            ["--to", "coze", "-o", "/dev/null", "runs.jsonl"],
            "it is not a file that can be replaced",
        ),
        (["--to", "coze", "-o", "x" * 300, "runs.jsonl"], "File name too long"),
        (["--to", "coze", "--report", "none/x", "runs.jsonl"], "there is no folder"),
        (["--to", "coze", "--report", ".", "runs.jsonl"], "is a directory"),
        (["--to", "coze", "--report", "./runs.jsonl", "runs.jsonl"], "it is read"),
        (["--to", "coze", "-o", "x", "--report", "./x", "runs.jsonl"], "-o names it, too"),
        (
            ["--to", "potato", "-o", "x", "--report", "x/items.json", "runs.jsonl"],
            "there is no folder",
        ),
        (["runs.jsonl"], "Missing option '--to'"),
    ],
)
def test_what_is_asked_wrongly_ends_with_2(
    folder: Path, arguments: list[str], message: str
) -> None:
    said = run_command(["convert", *arguments])
    assert message in said
    assert said.endswith("--- exit status 2\n")
    assert [path.name for path in folder.iterdir()] == ["runs.jsonl"]


def test_a_file_that_cannot_be_read_does_not_stop_the_others(folder: Path) -> None:
    bad = {
        "cut.parquet": b"PAR1 and no more",
        "cut.arrow": b"ARROW1 and no more",
        "no.eval": b"PK\x03\x04 and no more",
        "empty": b"",
        "wide": '{"a":1}'.encode("utf-16"),
        "cut.gz": gzip.compress(RUN)[:-20],
        "text": b"no JSON at all\n",
        "table.parquet": parquet_of({"trace_id": ["a"]}),
    }
    for name, content in bad.items():
        (folder / name).write_bytes(content)
    files = [*bad, "runs.jsonl"]
    arguments = ["convert", "--to", "jsonl", "-o", "out", "--report", "report", *files]
    said = run_command(arguments).splitlines()[2:]
    assert [line.split(": ")[0] for line in said[:-1]] == list(bad)
    assert said[-1] == "--- exit status 1"
    assert (folder / "out").read_bytes() == RUN + b"\n"
    report = json.loads((folder / "report").read_bytes())
    assert (report["items"], report["written"]) == (len(files), 1)


def test_a_file_is_no_table_although_it_is_said_to_be_one(folder: Path) -> None:
    (folder / "runs.parquet").write_bytes(parquet_of({"document": [RUN.decode()]}))
    arguments = ["--from", "parquet", "--to", "jsonl", "runs.jsonl", "runs.parquet"]
    said = run_command(["convert", *arguments])
    assert said.encode().splitlines()[1] == RUN
    assert "runs.jsonl: the file: it is no file of the format parquet\n" in said
    assert said.endswith("--- exit status 1\n")


def test_a_file_that_may_not_be_read_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "closed").write_bytes(RUN)
    opened = type(folder).open

    def refuse(path: Path, *arguments: Any) -> IO[Any]:
        if path.name == "closed":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        file: IO[Any] = opened(path, *arguments)
        return file

    monkeypatch.setattr(type(folder), "open", refuse)
    said = run_command(["convert", "--to", "jsonl", "closed", "runs.jsonl"])
    assert said.encode().splitlines()[1] == RUN
    assert "closed: the file: Permission denied\n--- exit status 1" in said


def parquet_of(columns: dict[str, list[str]]) -> bytes:
    file = io.BytesIO()
    parquet.write_table(table(columns), file)
    return file.getvalue()


def test_files_of_every_layout(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)
    body = b'{"note":"n"}'
    expected = {
        "note": {"out": body + b"\n" + body + b"\n", "out.about.json": b'{"of":"notes"}\n'},
        "noted": {"out": b"[\n" + body + b",\n" + body + b"\n]\n"},
        "each": {"a.jsonl": body, "a.p.jsonl": body},
    }
    for kind, files in expected.items():
        path = folder / kind / "out"
        path.parent.mkdir()
        with Output(formats_of(Of.RUNS)[kind], path, io.BytesIO()) as output:
            output.add("a", "p", body)
            output.add("a", "p", body)
            output.finish()
        found = path if path.is_dir() else path.parent
        assert {file.name: file.read_bytes() for file in found.iterdir()} == files
