"""Keys beside a running service: made and revoked by the command, counted within a second."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunSpanloom, StartSpanloom

COUNTS_S = 5.0
"""Within 1 s by design; a busy machine gets more."""


def status_within(wanted: int, url: str, key: str = "") -> bool:
    """Ask until the answer has a status."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    until = time.monotonic() + COUNTS_S
    while time.monotonic() < until:
        if httpx.get(url, headers=headers).status_code == wanted:
            return True
        time.sleep(0.05)
    return False


def test_the_command_works_while_the_service_runs(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    data_dir = tmp_path / "data"
    service = start_spanloom(data_dir=data_dir)
    service.wait_until_ready()
    url = f"{service.api}/v1/trajectories"
    assert httpx.get(url).status_code == 200

    data = f"--data-dir={data_dir}"
    made = run_spanloom("keys", "create", "--project=p", "--scopes=read", data)
    key = made.stdout.strip()
    assert status_within(401, url)
    assert status_within(200, url, key)

    assert run_spanloom("keys", "revoke", key.split("_")[1], data).returncode == 0
    assert status_within(401, url, key)
    assert service.stop() == 0
    assert key not in service.log
    listed = run_spanloom("keys", "list", "--json", data).stdout
    assert '"last_used_at":null' not in listed


def test_another_address_needs_keys_or_the_switch(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    data = f"--data-dir={tmp_path / 'data'}"
    ports = ["--api-port=0", "--otlp-grpc-port=0", "--otlp-http-port=0"]
    refused = run_spanloom("serve", "--host=0.0.0.0", *ports, data)  # refused
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "spanloom keys create" in refused.stderr
    assert "--insecure" in refused.stderr
    assert refused.stderr.splitlines()[-1].startswith("spanloom: --host 0.0.0.0 is reachable")

    started = start_spanloom("serve", "--host=0.0.0.0", "--insecure")  # with the switch
    started.wait_until_ready()
    assert started.stop() == 0

    run_spanloom("keys", "create", "--project=p", "--scopes=read", data)
    started = start_spanloom("serve", "--host=0.0.0.0")  # with a key
    started.wait_until_ready()
    assert httpx.get(f"{started.api}/v1/trajectories").status_code == 401
