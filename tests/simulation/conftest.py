"""Silences the log in simulations, in which thousands of processes are killed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import structlog

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    before = structlog.get_config()
    critical = structlog.make_filtering_bound_logger(logging.CRITICAL)
    structlog.configure(wrapper_class=critical)
    yield
    structlog.configure(**before)
