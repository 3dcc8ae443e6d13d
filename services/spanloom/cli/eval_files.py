"""The files of ``spanloom eval``: reads ``eval.yaml`` and reports, writes results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from spanloom.cli.client import ServiceError
from spanloom.cli.writing import check_apart, check_place, whole_file
from spanloom.client.errors import ClientError, InvalidParameterError, NotFoundError
from spanloom.client.transfer.experiments import report_of
from spanloom.core.errors import InvalidRequestError
from spanloom.core.showing.values import printable
from spanloom.evaluation.files.bases import measures_of, read_report
from spanloom.evaluation.files.config.reading import read_config
from spanloom.evaluation.files.config.text import MOST_BYTES, ConfigError, read_text
from spanloom.evaluation.files.junit import junit_lines
from spanloom.evaluation.files.markdown import markdown
from spanloom.evaluation.files.report import report_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.client.client import Client
    from spanloom.evaluation.files.config.reading import Config
    from spanloom.evaluation.files.config.text import Places
    from spanloom.evaluation.files.judging import Judgement
    from spanloom.evaluation.files.measures import Measure
    from spanloom.evaluation.files.outcome import Outcome
    from spanloom.evaluation.files.report import ReadReport

_INVALID = 2
_MOST_FAULTS = 20


class FileError(click.ClickException):
    """A file of evaluators is invalid; further faults are shown below the first fault."""

    exit_code = _INVALID

    def __init__(self, path: Path, error: ConfigError) -> None:
        """Build the message with the file's name before each fault."""
        name = printable(str(path))
        lines = [
            f"{name}: line {fault.line}: {printable(fault.key)}: {printable(fault.reason)}"
            for fault in error.faults
        ]
        super().__init__(lines[0])
        self.below = lines[1:_MOST_FAULTS]


def _beginning(path: Path) -> bytes:
    """Return the start of a file, enough to detect a too long file; raises ``click.UsageError``."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise click.UsageError(f"{printable(str(path))}: {error.strerror}") from error


def load_written(path: Path) -> tuple[Any, Places]:  # YAML values
    """Return the values in a YAML or JSON file, and their line numbers.

    Raises ``FileError`` and ``click.UsageError``.
    """
    text = _beginning(path)
    try:
        return read_text(text)
    except ConfigError as error:
        raise FileError(path, error) from error


def load_config(path: Path, *, allows_code: bool) -> Config:
    """Load a file of evaluators; raises ``FileError`` and ``click.UsageError``."""
    text = _beginning(path)
    try:
        return read_config(text, name=path.stem, folder=path.parent, allows_code=allows_code)
    except ConfigError as error:
        raise FileError(path, error) from error


def read_base(path: Path, client: Client, project: str | None = None) -> ReadReport:
    """Return the report in a file, or on the experiment named ``path`` if there is no file.

    Raises ``InvalidRequestError`` if there is neither.
    """
    try:
        return read_report(path.read_bytes())
    except FileNotFoundError:
        return _of_experiment(str(path), client, project)
    except OSError as error:
        raise InvalidRequestError(f"{error.strerror}") from error


def _of_experiment(name: str, client: Client, project: str | None) -> ReadReport:
    if "/" in name:
        raise InvalidRequestError("there is no such file")
    try:
        return report_of(client, name, project=project)
    except (NotFoundError, InvalidParameterError) as error:
        raise InvalidRequestError("there is no such file, and no such experiment") from error
    except ClientError as error:
        message = ServiceError(error).message
        raise InvalidRequestError(
            f"there is no such file, and as an experiment: {message}"
        ) from error


def load_bases(config: Config, path: Path, client: Client) -> Mapping[str, Mapping[str, Measure]]:
    """Return the statistics of scores in each report or experiment that a gate names, by that name.

    A report is looked up next to the file of evaluators, then in the working directory; any other
    name is an experiment. Raises ``FileError``.
    """
    measures: dict[str, Mapping[str, Measure]] = {}
    project = config.file.runs.project if config.file.runs else None
    for at, gate in enumerate(config.gates):
        named = gate.no_worse_than
        if named is None or named in measures:
            continue
        sibling = path.parent / named
        base = sibling if sibling.exists() else Path(named)
        try:
            measures[named] = measures_of(read_base(base, client, project))
        except (InvalidRequestError, OSError) as error:
            place = f"gates.{at}.no_worse_than"
            raise FileError(path, config.error(place, f"{named}: {error}")) from error
    return measures


class OutcomeFiles(NamedTuple):
    """The files to which the outcome is written."""

    json: Path | None
    junit: Path | None
    markdown: Path | None

    def check(self, read: Iterable[Path]) -> None:
        """Raise ``click.UsageError`` if a file cannot be written, or two are the same."""
        named = {f"--{flag}": path for flag, path in self._asdict().items() if path is not None}
        for flag, path in named.items():
            check_place(flag, path, may_be_device=True)
        check_apart(named, list(read))

    def write(
        self, head: Mapping[str, object], config: Config, judgement: Judgement, outcome: Outcome
    ) -> None:
        """Write the requested files; raises ``click.ClickException``."""
        if self.json is not None:
            _write(self.json, report_lines(head, judgement))
        if self.junit is not None:
            _write(self.junit, junit_lines(config.name, judgement, config.warn_scores))
        if self.markdown is not None:
            text = markdown(config.name, config.warn_scores, judgement, outcome)
            _write(self.markdown, [text.encode(errors="replace")])


def _write(path: Path, pieces: Iterator[bytes] | Sequence[bytes]) -> None:
    with whole_file(path) as file:
        file.writelines(pieces)
