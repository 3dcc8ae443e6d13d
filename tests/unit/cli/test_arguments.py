"""Trace ids as arguments of commands: in upper case, missing, or ``latest``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from spanloom.cli.arguments import LATEST, to_trace_id, to_trace_id_or_latest

if TYPE_CHECKING:
    from collections.abc import Callable

_CONTEXT = click.Context(click.Command("show"))
_PARAMETER = click.Option(["--trace-id"])


@pytest.mark.parametrize("read", [to_trace_id, to_trace_id_or_latest])
def test_a_trace_id_may_be_typed_in_upper_case(read: Callable[..., str | None]) -> None:
    assert read(_CONTEXT, _PARAMETER, "AB" * 16) == "ab" * 16
    for text in ("ab", "ab" * 17, "xy" * 16):
        with pytest.raises(click.BadParameter, match="32 hex digits"):
            read(_CONTEXT, _PARAMETER, text)


def test_an_id_may_be_missing_or_the_latest() -> None:
    assert to_trace_id(_CONTEXT, _PARAMETER, None) is None
    assert to_trace_id_or_latest(_CONTEXT, _PARAMETER, "Latest") == LATEST
