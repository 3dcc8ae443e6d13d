"""Runs the examples of the documentation as a reader would, line by line.

``spanloom`` and ``curl`` reach the started service at the default ports of the examples. The reader
has a home and a working directory of its own.
"""

from __future__ import annotations

import shlex
import signal
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

from tests.support import programs

from spanloom.config.section import variable_of
from spanloom.config.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STAYING = frozenset({"serve", "tail"})
"""Commands that run until interrupted."""
ANOTHER = "another"
"""The data directory of a second service, in the home directory."""
SILENT_S = 0.5
"""Seconds for which a command is observed that prints only on events."""
SILENT = frozenset({"convert", "scores"})
"""Commands that write a file and print nothing."""
RUN_S = 60.0
HELPERS = frozenset({"curl", "export"})
PORTS = ("otlp_grpc", "otlp_http", "api", "sql")
USUALLY = {"sql": 8123}
"""Default ports of services in the pages that the test does not start."""


class Reader(NamedTuple):
    """A user at a shell, with a service that does not listen on the default ports."""

    home: Path
    addresses: Mapping[str, str]
    data_dir: Path

    def type(self, text: str) -> None:
        """Run every line of an example; each must succeed and print its expected output."""
        for line in text.replace("\\\n", "").splitlines():
            if line.strip() and not line.startswith("#"):
                self.type_line(line)

    def type_line(self, line: str) -> str:
        """Run a Spanloom command, or one of the few others in the pages; return its output."""
        words = shlex.split(line, comments=True)
        if words[0] in {"spanloom", ".venv/bin/spanloom"}:
            return self._run_ours(line)
        assert words[0] in HELPERS, f"no way to try a line of {words[0]!r}: {line}"
        return self.run_in_shell(line)

    def until(self, line: str, word: str) -> str:
        """Run a line repeatedly until its output contains the word; return the output."""
        until = time.monotonic() + RUN_S
        while word not in (output := self.type_line(line)):
            assert time.monotonic() < until, f"{line} does not say {word!r}: {output}"
        return output

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which commands find the service and data, and use free ports."""
        free = {variable_of(f"{name}_port"): "0" for name in PORTS}
        own = {"SPANLOOM_API_URL": self.addresses["api"], "HOME": str(self.home)}
        own |= {"SPANLOOM_OTLP_URL": self.addresses["otlp_http"]}
        own |= {"SPANLOOM_SQL_URL": self.addresses.get("sql", "")}
        return programs.clean_environment({**free, **own, "SPANLOOM_DATA_DIR": str(self.data_dir)})

    def run_in_shell(self, lines: str, given: str = "") -> str:
        """Run lines without Spanloom commands; return their output."""
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.at_our_ports(lines)],
            cwd=self.home,
            env=self.environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=RUN_S,
            check=False,
        )
        assert ended.returncode == 0, f"{lines}\n{ended.stderr}"
        return ended.stdout

    def _run_ours(self, line: str) -> str:
        """Run a Spanloom command; a pipe or file in the line gets its output."""
        command, sign, rest = parted(line)
        words = [self._expanded(word) for word in shlex.split(command, comments=True)[1:]]
        if words[0] in STAYING:
            self._stay(words)
            return ""
        ended = programs.run("-m", "spanloom", *words, env=self.environment)
        assert ended.returncode == 0, f"{line}\n{ended.stderr}"
        if words[0] in SILENT:
            return ended.stdout
        if not (ended.stdout or sign):  # only a terminal shows that there are no items
            words = [word for word in words if word not in {"--csv", "--json", "--jsonl"}]
            ended = programs.run(
                "-m", "spanloom", *words, "--output", "table", env=self.environment
            )
        assert ended.stdout, f"{line}\nsays nothing"
        return self.run_in_shell(f"cat {sign} {rest}", ended.stdout) if sign else ended.stdout

    def _stay(self, words: list[str]) -> None:
        """Start a long-running command, check that it keeps running, and interrupt it."""
        errors = self.home / "stderr"
        apart = {**self.environment, "SPANLOOM_DATA_DIR": str(self.home / ANOTHER)}
        with errors.open("w") as sink:
            free = [str(0) if word in map(str, USUALLY.values()) else word for word in words]
            process = programs.start(["-m", "spanloom", *free], apart, sink.fileno())
        try:
            if words[0] == "serve":
                assert process.stdout is not None
                assert process.stdout.readline(), errors.read_text()
            else:
                time.sleep(SILENT_S)
            process.send_signal(signal.SIGINT)
            assert process.wait(RUN_S) in {0, 130}, errors.read_text()
        finally:
            process.kill()

    def at_our_ports(self, line: str) -> str:
        """Return a line with the addresses of the service instead of the default ones."""
        for name in PORTS:
            if name not in self.addresses:
                continue  # a service has that port only if configured
            usual = Settings.model_fields[f"{name}_port"].default or USUALLY[name]
            line = line.replace(f"http://127.0.0.1:{usual}", self.addresses[name])
        return line

    def _expanded(self, word: str) -> str:
        return str(self.home / word[2:]) if word.startswith("~/") else self.at_our_ports(word)


def parted(line: str) -> tuple[str, str, str]:
    """Split a line at its first unquoted pipe or redirection: command, operator, rest."""
    words = shlex.shlex(line, posix=False, punctuation_chars="|>")
    words.whitespace_split = True
    for word in words:
        if word in {"|", ">"}:
            command, _, rest = line.partition(f" {word} ")
            return command, word, rest
    return line, "", ""
