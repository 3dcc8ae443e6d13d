"""Files of other systems are imported once, and exported whole, wherever the program is killed."""

from __future__ import annotations

import json
import tempfile
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support import programs
from tests.support.drafted import planner
from tests.support.imported_files import SOON_S, listed

from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

RUNS = 60


def traces() -> list[dict[str, object]]:
    """Return ``RUNS`` runs that differ only in their ids."""
    whole = dump(planner()).decode()
    return [json.loads(whole.replace(planner()["id"], f"{n:032x}")) for n in range(1, RUNS + 1)]


def killed(*words: str, once: Callable[[], bool]) -> None:
    """Start a command and kill it once a condition holds."""
    with tempfile.TemporaryFile() as errors:
        program = programs.start(
            ["-m", "spanloom", *words], programs.clean_environment(), errors.fileno()
        )
    ends = time.monotonic() + SOON_S
    while not once():
        assert time.monotonic() < ends
        time.sleep(0.005)
    program.kill()
    program.wait(SOON_S)
    assert program.stdout is not None
    program.stdout.close()


def has_spans(service: RunningSpanloom) -> bool:
    """Return whether the service has accepted any spans."""
    return "spanloom_spans_accepted_total 0.0" not in httpx.get(f"{service.api}/metrics").text


@pytest.fixture
def service(start_spanloom: StartSpanloom) -> RunningSpanloom:
    return start_spanloom("serve", "--root-quiet-s=0.3")


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["snorkel", "mlflow"])
def test_killed_between_export_and_import(
    service: RunningSpanloom, run_spanloom: RunSpanloom, tmp_path: Path, name: str
) -> None:
    """A killed import or export that is repeated stores or writes each run exactly once."""
    runs, file, out = (tmp_path / part for part in ("runs.jsonl", f"runs.{name}", "again"))
    runs.write_bytes(b"".join(dump(trace) + b"\n" for trace in traces()))
    assert run_spanloom("convert", "--to", name, str(runs), "-o", str(file)).returncode == 0
    otlp, api = (f"--otlp-url={service.addresses['otlp_http']}", f"--api-url={service.api}")
    command = ("import", otlp, api, "--format", name, str(file))
    killed(*command, once=lambda: has_spans(service))
    again = run_spanloom(*command)
    assert again.returncode == 0, again.stderr
    versions = listed(service, RUNS)
    done = json.loads(run_spanloom(*command).stdout)
    assert (done["accepted_spans"], done["unchanged_runs"]) == (0, RUNS)
    assert listed(service, RUNS) == versions
    export = ("export", api, "--format", name, "-o", str(out))
    partial = tmp_path / "again.partial"
    killed(*export, once=lambda: partial.exists() and partial.stat().st_size > 0)
    ended = run_spanloom(*export)
    assert ended.returncode == 0, ended.stderr
    assert len(json.loads(ended.stdout)["skipped"]) == 0
    read = run_spanloom("convert", "--from", name, "--to", "canonical", str(out))
    ids = [json.loads(line)["id"] for line in read.stdout.splitlines()]
    assert sorted(ids) == sorted(versions)
