"""The module that pytest loads: options, a marker, the fixtures ``agent_run``, ``otlp_endpoint``.

Sessions that never use the plugin load it too, so everything else is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.testing.options import EVALUATORS, EXPERIMENT, MARK, REPORT, SEND, UPDATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.testing.opening import OpenRun
    from spanloom.testing.receiver import Receiver


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("spanloom", "runs of agents")
    group.addoption(
        UPDATE,
        action="store_true",
        help="write the goldens of `run.match` instead of comparing with them",
    )
    group.addoption(
        REPORT,
        metavar="DIR",
        help="write report.json, junit.xml and report.md of all judgements there",
    )
    group.addoption(
        SEND,
        metavar="URL",
        help="send the runs and what was judged to this service (key: SPANLOOM_API_KEY), as an "
        "experiment",
    )
    group.addoption(
        EXPERIMENT, metavar="NAME", help=f"its name, or by default a new one; for {SEND}"
    )
    parser.addini(EVALUATORS, "a file of evaluators, for `run.judge` by name", type="string")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; load the module for reports if an option needs it."""
    config.addinivalue_line(
        "markers",
        f"{MARK}(repeats=1, require=None): run the test this many times; require such as "
        "'pass@1 >= 0.75' or 'pass^3 >= 0.5' decides; by default every try has to pass",
    )
    if config.getoption(REPORT, None) or config.getoption(SEND, None):
        from spanloom.testing.reporting import Reporting  # noqa: PLC0415  # only if used

        config.pluginmanager.register(Reporting(config), "spanloom-report")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a marked test as often as its marker demands."""
    __tracebackhide__ = True
    mark = pyfuncitem.get_closest_marker(MARK)
    if mark is None:
        return None
    from spanloom.testing.repeating import run_marked  # noqa: PLC0415  # only if used

    return run_marked(pyfuncitem, mark)


@pytest.fixture
def agent_run(request: pytest.FixtureRequest) -> Iterator[OpenRun]:
    """Return a function that opens blocks; each captures the run of an agent, to be judged."""
    from spanloom.testing.opening import opening  # noqa: PLC0415  # only if used

    with opening(request) as open_run:
        yield open_run


@pytest.fixture
def otlp_endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """Receive spans from other processes on a loopback port.

    The ``OTEL_EXPORTER_OTLP_…`` environment variables are set to the receiver's address.
    """
    from spanloom.testing.receiver import receiving  # noqa: PLC0415  # only if used

    with receiving() as receiver:
        receiver.set_variables(monkeypatch)
        yield receiver
