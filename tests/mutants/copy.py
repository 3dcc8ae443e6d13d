"""A copy of the checkout in which mutants are applied, one after the other."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from tests.mutants.mutant import ROOT, Mutant, mutated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.mutants.mutant import Place

LEFT_OUT = shutil.ignore_patterns(".*", "node_modules", "dist", "build")
TEST_S = 60
"""Time limit of a test, because a mutant may wait forever."""
RUN_S = 240
"""Time limit of all tests of one mutant."""
WORKER = "gw0"
"""Each run acts as this worker of pytest-xdist, so that the first run creates an empty store for
all runs: creating it takes as long as the rest of a test."""
WHERE = "import spanloom, tests.conftest as c; print(spanloom.__file__); print(c.__file__)"
PYTEST = ("-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--no-header")


class Ended(NamedTuple):
    """The result of a run of tests."""

    status: int | None
    """The exit status of pytest; ``None`` if the time limit was exceeded."""
    output: str

    @property
    def failed(self) -> list[str]:
        """The test functions that failed, as pytest's summary names them."""
        rows = (line for line in self.output.splitlines() if line.startswith(("FAILED", "ERROR ")))
        return [row.split(" ", 1)[1].partition(" - ")[0].partition("[")[0] for row in rows]


class Copy:
    """A copy of the checkout, whose tests import the copied product."""

    def __init__(self, folder: Path) -> None:
        """Copy the checkout; raises ``RuntimeError`` if Python imports the product elsewhere."""
        self.root = folder / "checkout"
        shutil.copytree(ROOT, self.root, ignore=LEFT_OUT, symlinks=True)
        self._times = count(1_000_000_000)
        self._shared = folder / "shared"
        places = self._run("-c", WHERE).output.split()
        if not places or not all(Path(place).is_relative_to(self.root) for place in places):
            raise RuntimeError(f"the copy {self.root} is not what Python imports: {places}")

    @contextmanager
    def with_mutant(self, mutant: Mutant, place: Place) -> Iterator[None]:
        """Change the mutant's line for the duration of the context.

        Each changed file gets a distinct modification time: Python matches compiled code to its
        source by time, in seconds, and size.
        """
        path = self.root / place.path
        path.write_text(mutated(mutant, place, self.root), "utf-8")
        at = next(self._times)
        os.utime(path, (at, at))
        if path.suffix == ".sql":
            self._forget_store()
        try:
            yield
        finally:
            shutil.copy2(ROOT / place.path, path)
            if path.suffix == ".sql":
                self._forget_store()

    def _forget_store(self) -> None:
        """Make the next run create its store's tables again; a mutant may be in their schema."""
        for made in self._shared.glob("made-*/"):  # see ``_made_once`` in tests/conftest.py
            shutil.rmtree(made)

    def test(self, tests: Sequence[str], *options: str, run_s: float = RUN_S) -> Ended:
        """Run tests; stop at the first that fails."""
        self._shared.mkdir(exist_ok=True)
        places = f"--timeout={TEST_S}", f"--basetemp={self._shared / WORKER}"
        return self._run(*PYTEST, *places, *options, *tests, run_s=run_s)

    def _run(self, *arguments: str, run_s: float = RUN_S) -> Ended:
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root / "services"),
            "PYTEST_XDIST_WORKER": WORKER,
            "HYPOTHESIS_STORAGE_DIRECTORY": str(self.root / ".hypothesis"),
        }
        with subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # so that its child processes can be killed too
        ) as process:
            try:
                output, _ = process.communicate(timeout=run_s)
            except subprocess.TimeoutExpired as error:
                return Ended(None, str(error))
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        return Ended(process.returncode, output)


@contextmanager
def copied() -> Iterator[Copy]:
    """Yield a copy, which is removed afterwards."""
    with TemporaryDirectory(prefix="mutants-") as folder:
        yield Copy(Path(folder).resolve())
