"""Ending a gRPC call with the status of an error, as ``doors/status.py`` has it."""

from __future__ import annotations

from typing import NoReturn

import grpc

from spanloom.collector.doors.status import build_status
from spanloom.telemetry import get_logger

_CODES = {code.value[0]: code for code in grpc.StatusCode}


def abort(context: grpc.ServicerContext, error: Exception) -> NoReturn:
    """End a call with an error's status and details; raises what gRPC ends a handler with."""
    status = build_status(error)
    code = _CODES[status.code]
    if code is grpc.StatusCode.INTERNAL:
        get_logger("grpc").error("a request failed", exc_info=error)
    details = status.SerializeToString()
    context.set_trailing_metadata((("grpc-status-details-bin", details),))
    context.abort(code, status.message)
