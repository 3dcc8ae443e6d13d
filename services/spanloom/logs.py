"""Log lines: structured, on standard error, without secrets.

Nothing is logged per span.
"""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from typing import Literal

import structlog

from spanloom.core.secrets import hide


class _StandardError:
    """Writes to the current ``sys.stderr``, even if it was replaced after logging was configured.

    Ignores a closed pipe and a full disk, which must not stop the process.
    """

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.flush()


LogFormat = Literal["auto", "console", "json"]


def configure_logging(level: str = "info", fmt: LogFormat = "auto") -> None:
    """Write structured log lines to standard error: coloured on a terminal, otherwise as JSON."""
    as_json = fmt == "json" or (fmt == "auto" and not sys.stderr.isatty())
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer()
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _hide_secrets,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.PrintLoggerFactory(_StandardError()),  # type: ignore[arg-type]  # all it uses
        cache_logger_on_first_use=False,
    )
    _forward_libraries()


def _hide_secrets(
    _logger: object, _method: str, line: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Hide the secrets of this process in every value of a line, its traceback included."""
    return {name: _hidden(value) for name, value in line.items()}


def _hidden(value: object) -> object:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict):
        return {_hidden(name): _hidden(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_hidden(inner) for inner in value]
    plain = value is None or isinstance(value, int | float)
    return value if plain else hide(str(value))


class _Forward(logging.Handler):
    """Forwards log records of libraries to our logger."""

    def emit(self, record: logging.LogRecord) -> None:
        get_logger(record.name).log(
            record.levelno, record.getMessage(), exc_info=record.exc_info or None
        )


def _forward_libraries() -> None:
    for raises_it_too in ("clickhouse_connect", "urllib3"):
        logging.getLogger(raises_it_too).setLevel(logging.CRITICAL)
    root = logging.getLogger()
    if not any(isinstance(handler, _Forward) for handler in root.handlers):
        root.addHandler(_Forward(logging.WARNING))


def get_logger(part: str) -> structlog.typing.FilteringBoundLogger:
    """Return the logger of a component; its lines have the component's name as ``part``."""
    return structlog.get_logger(part=part)  # type: ignore[no-any-return]  # structlog types it Any
