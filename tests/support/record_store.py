"""A program: records the data directory of a release for ``fixtures/stores``.

``python -m tests.support.record_store FOLDER`` writes ``data.tar.xz``, the directory of a service
that was killed while a request was in its spool, ``answers.json``, the responses of its API before
that, and ``schema.sql``. With ``--empty`` it writes only the directory of a stopped service without
data; that works in the environment of any version.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tarfile
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDED = Path(__file__).parents[1] / "fixtures" / "recorded"
STORED = ("s04_handoff-oi", "k2_dual-both", "h1_adk-native")
WAITING = "s12_async-tl"
"""The recording that remains in the spool."""
KEPT = ("FORMAT", "spool.sqlite", "spool.sqlite-wal", "store")
SETTLED_S = 30.0
QUICK = ("--root-quiet-s=0.3", "--no-root-quiet-s=1")
ENDLESS = ("--batch-wait-s=600",)


def main() -> None:
    """Record into the folder that the command names."""
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as temporary:
        data = Path(temporary) / "data"
        with serving(data, *QUICK) as (service, addresses):
            if "--empty" not in sys.argv:
                record_answers(addresses, folder)
            service.terminate()
        if "--empty" not in sys.argv:
            with serving(data, *ENDLESS) as (service, addresses):
                send(addresses, WAITING)
                service.kill()
            schema = [sys.executable, "-m", "tests.support.schema", f"chdb://{data}/store"]
            (folder / "schema.sql").write_bytes(subprocess.check_output(schema))
        pack(data, folder / "data.tar.xz")


@contextmanager
def serving(data: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """Run the service, which the caller must end; yield it and its addresses."""
    ports = ("--api-port=0", "--otlp-grpc-port=0", "--otlp-http-port=0")
    command = [sys.executable, "-m", "spanloom", "serve", f"--data-dir={data}", *ports, *options]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert service.stdout is not None
    try:
        yield service, json.loads(service.stdout.readline())
        service.wait(60)
    finally:
        service.kill()


def send(addresses: dict[str, str], name: str) -> None:
    """Send a recording; it is acknowledged when this returns."""
    body = gzip.decompress((RECORDED / f"{name}.otlp.gz").read_bytes())
    headers = {"content-type": "application/x-protobuf"}
    url = f"{addresses['otlp_http']}/v1/traces"
    httpx.post(url, content=body, headers=headers).raise_for_status()


def record_answers(addresses: dict[str, str], folder: Path) -> None:
    """Send runs, annotate one, and write the API's responses."""
    for name in STORED:
        send(addresses, name)
    with httpx.Client(base_url=addresses["api"], timeout=30) as api:
        traces = _settled(api)
        annotate(api, traces[0])
        paths = [f"/v1/trajectories/{trace}" for trace in traces]
        paths.append(f"/v1/trajectories/{traces[0]}/annotations")
        answers = {path: api.get(path).raise_for_status().json() for path in paths}
    (folder / "answers.json").write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")


def annotate(api: httpx.Client, trace: str) -> None:
    """Annotate the first step of a run."""
    agents = api.get(f"/v1/trajectories/{trace}").json()["agent_steps"]
    step = next(step["id"] for agent in agents for step in agent["steps"])
    item = {"write_id": "recorded-0001", "step_id": step, "correctness": "correct"}
    body = {"scheme": "potato", "items": [item]}
    headers = {"x-spanloom-annotator": "ada"}
    path = f"/v1/trajectories/{trace}/annotations"
    api.post(path, json=body, headers=headers).raise_for_status()


def _settled(api: httpx.Client) -> list[str]:
    """Return the traces when all are settled and have not changed for a while."""
    until = time.monotonic() + SETTLED_S
    before: object = None
    while time.monotonic() < until:
        items = api.get("/v1/trajectories?has_steps=any").json().get("items", [])
        now = [(item["trace_id"], item["version"]) for item in items]
        if now and now == before and {item["status"] for item in items} == {"settled"}:
            return [trace for trace, _ in now]
        before = now
        time.sleep(3)
    raise SystemExit("the runs do not settle")


def pack(data: Path, archive: Path) -> None:
    """Write the files of a data directory that a start needs."""
    with tarfile.open(archive, "w:xz") as packed:
        for name in KEPT:
            if (data / name).exists():
                packed.add(data / name, name)


if __name__ == "__main__":
    main()
