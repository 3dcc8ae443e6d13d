"""Runs the contract suite in a separate process, over a store on a server."""

from __future__ import annotations

from tests.support import programs

SUITE = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/contract", "-k", "clickhouse")
SUITE_S = 900.0


def hold_to_contract(store_url: str) -> None:
    """Run the whole contract suite over the store at a URL."""
    environment = {"SPANLOOM_TEST_STORE_URL": store_url}
    ended = programs.run(*SUITE, env=environment, timeout_s=SUITE_S)
    assert ended.returncode == 0, ended.stdout[-4000:]
