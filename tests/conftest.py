"""Fixtures that many tests share: the real command as a process with a time limit, and stores."""

from __future__ import annotations

import fcntl
import gc
import json
import os
import queue
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
from contextlib import closing
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Protocol

import httpx
import pytest
import structlog
from httpx._config import DEFAULT_TIMEOUT_CONFIG
from tests.support import programs
from tests.support.examples import register_profiles
from tests.support.forgotten_deletions import forget_deletions
from tests.support.image_store import image_store
from tests.support.memory_store import MemoryStore
from tests.support.order import ByFile, begin_elsewhere, sort_slow_first
from tests.support.scratch import use_memory
from tests.support.served_store import make_server, served_store
from tests.support.tiers import mark_tiers, running, watch_tiers

from spanloom.core import secrets
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from pathlib import Path

    from tests.support.programs import Program
    from tests.support.served_store import ServedStore

    from spanloom.storage.store import ClickHouseStore

START_S = ANSWER_S = 60.0
STOP_S = 60.0
"""Time limit against hanging tests; a process that is stopped may wait for fsync on a busy disk."""
MAKE_STORE = """
import sys
from spanloom.storage.upkeep.store import open_upkeep

upkeep = open_upkeep(sys.argv[1])
upkeep.migrate()
upkeep.close()
"""
# Otherwise each worker and each program compiles all modules again: half the time of a start.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Otherwise httpx reads 140 certificates, in 10 ms, for each client and each ``httpx.get``.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = ssl.get_default_verify_paths().openssl_capath
for wait in ("connect", "read", "write", "pool"):  # httpx's own limit is 5 s
    setattr(DEFAULT_TIMEOUT_CONFIG, wait, ANSWER_S)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A script's `pytest … &` ignores SIGINT; programs that tests interrupt would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
register_profiles()
watch_tiers()
use_memory()
structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
    ]
)  # for tests without a service: printing a traceback with all its values takes seconds
TOLD = "told"
"""The property of a test's report in which ``tell`` stores a text."""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Make each of several workers import the files of a folder in a different order."""
    report = yield
    own = getattr(collector.config, "workerinput", None)
    if own and isinstance(collector, pytest.Session | pytest.Directory) and report.result:
        worker, workers = int(own["workerid"].removeprefix("gw")), own["workercount"]
        report.result = begin_elsewhere(report.result, worker, workers)
    return report


@pytest.hookimpl(tryfirst=True)  # later hooks depend on the order, equal in all workers
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test with its tier (its cost); with several workers, put slow folders first."""
    mark_tiers(items)
    if hasattr(config, "workerinput"):
        sort_slow_first(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByFile | None:
    """Assign whole files to each worker, unless another ``--dist`` is requested."""
    return ByFile(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Make a test fail if it costs more than its tier allows."""
    with running(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude the collected tests from garbage collection, which took a sixth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


class Tell(Protocol):
    """Prints a text at the end of the run."""

    def __call__(self, text: str) -> None: ...


@pytest.fixture(autouse=True)
def no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the known secrets after each test; otherwise all later log lines hide them."""
    monkeypatch.setattr(secrets, "_known", set())


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Tell:
    """Print a text at the end of the run, because output of a pytest-xdist worker is lost."""
    return lambda text: record_property(TOLD, text)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the texts that tests passed to ``tell``, whether the tests passed or not."""
    for reports in list(terminalreporter.stats.values()):
        for report in reports:
            told = dict(getattr(report, "user_properties", ()))
            if TOLD in told and report.when == "call":
                terminalreporter.write_line(f"\n{told[TOLD]}")


class RunningSpanloom:
    """A started command, and the addresses that it prints in its first line."""

    def __init__(self, process: Program, stderr: Path) -> None:
        self.process = process
        self._stderr = stderr
        self.addresses: dict[str, str] = json.loads(self._first_line())

    @property
    def api(self) -> str:
        return self.addresses["api"]

    @property
    def log(self) -> str:
        return self._stderr.read_text()

    @property
    def complaints(self) -> list[str]:
        """The lines of the log whose level is not ``info``."""
        return [line for line in self.log.splitlines() if '"level": "info"' not in line]

    def wait_until_ready(self) -> None:
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            try:
                if httpx.get(f"{self.api}/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                assert self.process.poll() is None, self.log
            time.sleep(0.05)
        raise AssertionError(f"not ready within {START_S:g} s:\n{self.log}")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, and return the exit status."""
        self.process.send_signal(number)
        try:
            return self.process.wait(STOP_S)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"it does not end; its log:\n{self.log}") from error

    def _first_line(self) -> str:
        lines: queue.Queue[str] = queue.Queue()
        assert self.process.stdout is not None
        threading.Thread(
            target=lambda s: lines.put(s.readline()), args=(self.process.stdout,)
        ).start()
        try:
            line = lines.get(timeout=START_S)
        except queue.Empty:
            line = ""
        if not line:
            self.process.kill()
            raise AssertionError(f"the command printed no addresses:\n{self.log}")
        return line


LOG_SHOWN = 4_000

EAGER = {"SPANLOOM_POLL_S": "0.2", "SPANLOOM_BATCH_WAIT_S": "0.1"}
"""Shorter waits than by default: otherwise spans wait half a second for other spans, and a new run
is found up to a second later, in each of many tests."""


class StartSpanloom(Protocol):
    """Starts ``spanloom`` with arguments, on free ports.

    ``fresh`` starts a new interpreter instead of a fork. ``bare`` starts without a copied store, so
    that the command creates the tables itself.
    """

    def __call__(
        self,
        *arguments: str,
        data_dir: Path | None = None,
        env: Mapping[str, str] | None = None,
        entry: Sequence[str] = ("-m", "spanloom"),
        fresh: bool = False,
        bare: bool = False,
    ) -> RunningSpanloom: ...


@pytest.fixture(scope="session")
def made_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with tables and no data, to be copied.

    Creating the tables takes as long as the rest of a start. With several workers, the first one
    creates the store for all workers.
    """
    return _made_once(tmp_path_factory, "store", _make_store)


@pytest.fixture(scope="session")
def made_server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a ClickHouse server whose database has the tables, to be copied."""
    return _made_once(tmp_path_factory, "server", make_server)


def _made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a directory with this name, which ``make`` creates once for all workers."""
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    path = shared / f"made-{name}" / name
    with (shared / f"made-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            making = shared / f"making-{name}" / name
            making.parent.mkdir()
            make(making)
            making.parent.rename(path.parent)
    return path


def _make_store(path: Path) -> None:
    assert programs.run("-c", MAKE_STORE, f"chdb://{path}").returncode == 0


@pytest.fixture
def start_spanloom(tmp_path: Path, made_store: Path) -> Iterator[StartSpanloom]:
    """Yield a function that starts the real command; the processes are killed after the test."""
    yield from _starter(tmp_path, made_store)


@pytest.fixture(scope="module")
def start_shared_spanloom(
    tmp_path_factory: pytest.TempPathFactory, made_store: Path
) -> Iterator[StartSpanloom]:
    """Yield a function that starts the real command, for all tests of a module."""
    yield from _starter(tmp_path_factory.mktemp("spanloom"), made_store)


def _starter(tmp_path: Path, made_store: Path) -> Iterator[StartSpanloom]:
    """Yield a function that starts the command on a copy of the store, unless a store exists."""
    processes: dict[Path, Program] = {}

    def start(
        *arguments: str,
        data_dir: Path | None = None,
        env: Mapping[str, str] | None = None,
        entry: Sequence[str] = ("-m", "spanloom"),
        fresh: bool = False,
        bare: bool = False,
    ) -> RunningSpanloom:
        ports = [f"--{name}-port=0" for name in ("api", *_doors_of(*arguments))]
        place = data_dir or tmp_path / "data"
        command = [*entry, *(arguments or ("serve",)), *ports, f"--data-dir={place}"]
        if not bare and not (place / "store").exists():
            shutil.copytree(made_store, place / "store", symlinks=True)
        stderr = tmp_path / f"stderr-{len(processes)}"
        with stderr.open("w") as sink:
            run = programs.start_fresh if fresh else programs.start
            process = run(
                command, programs.clean_environment({**EAGER, **(env or {})}), sink.fileno()
            )
        processes[stderr] = process
        return RunningSpanloom(process, stderr)

    yield start
    for stderr, process in processes.items():
        ended = process.poll()  # pytest shows this output if the test has failed
        print(f"exit status {ended}; the end of its log:\n{stderr.read_text()[-LOG_SHOWN:]}")
        process.kill()
        process.wait(STOP_S)
        if process.stdout is not None:
            process.stdout.close()


def _doors_of(command: str = "serve", *_: str) -> tuple[str, ...]:
    """Return the names of the ports that a command has in addition to the API port."""
    return () if command in ("keeper", "extract", "api") else ("otlp-grpc", "otlp-http")


class RunSpanloom(Protocol):
    """Runs ``spanloom`` with arguments to its end."""

    def __call__(
        self, *arguments: str, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture(scope="session")
def run_spanloom() -> RunSpanloom:
    """Return a function that runs the real command and returns its exit status and output."""
    return partial(programs.run, "-m", "spanloom")


@pytest.fixture(scope="session")
def store_url(tmp_path_factory: pytest.TempPathFactory, made_store: Path) -> Iterator[str]:
    """Yield the URL of the store of a test run: embedded, or from ``SPANLOOM_TEST_STORE_URL``.

    The variable has the URL of a ClickHouse server, or is ``served`` for a server that is started
    from chdb-core's library.
    """
    url = os.environ.get("SPANLOOM_TEST_STORE_URL", "")
    path = tmp_path_factory.mktemp("store") / "store"
    if url == "served":
        with served_store(path) as server:
            yield server.url
    else:
        yield url or f"chdb://{shutil.copytree(made_store, path, symlinks=True)}"


@pytest.fixture(scope="session")
def opened_store(store_url: str) -> Iterator[ClickHouseStore]:
    """Yield one store for all tests of a run, as a process can open only one embedded store."""
    if not store_url.startswith("chdb:"):  # an embedded store has its tables already
        with closing(open_upkeep(store_url)) as upkeep:
            upkeep.migrate()
    with closing(open_store(store_url)) as store:
        yield store


@pytest.fixture(scope="module")
def clickhouse_store(store_url: str, opened_store: ClickHouseStore) -> Iterator[ClickHouseStore]:
    """Share the opened store; if it is embedded, forget its deletions after each module.

    Otherwise every query of later modules would look for deleted traces, and the keeper would
    look for the traces of all earlier deletions.
    """
    yield opened_store
    if store_url.startswith("chdb:"):
        forget_deletions(opened_store)


@pytest.fixture(scope="session")
def memory_store() -> MemoryStore:
    """Share one in-memory store in a test run."""
    return MemoryStore()


@pytest.fixture
def new_project() -> Callable[[], str]:
    """Return a function that returns a new project name at each call."""
    return lambda: f"p-{token_hex(4)}"


@pytest.fixture(params=["library", pytest.param("image", marks=pytest.mark.clickhouse)])
def ready_server(request: pytest.FixtureRequest) -> Iterator[ServedStore]:
    """Start a separate server, whose database has the tables.

    The server is from chdb-core's library, or from ClickHouse's image.
    """
    if request.param == "image":
        with image_store() as server:
            yield server
    else:
        made: Path = request.getfixturevalue("made_server")
        place: Path = request.getfixturevalue("tmp_path")
        with served_store(place / "server", made) as server:
            yield server
