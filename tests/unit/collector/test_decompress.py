from __future__ import annotations

import gzip
import time
import zlib
from random import Random

import pytest

from spanloom.collector.doors.decompress import PIECE_BYTES
from spanloom.collector.doors.decompress import decompress as decompress_within
from spanloom.collector.intake.admission import InFlightBudget
from spanloom.collector.intake.limits import Limits
from spanloom.core.errors import (
    InvalidRequestError,
    OverloadedError,
    RequestTooLargeError,
    UnsupportedEncodingError,
)

BODY = b"some spans " * 1000


def decompress(body: bytes, coding: str, limits: Limits) -> bytes:
    with InFlightBudget(limits.max_in_flight_bytes).reserve() as share:
        return decompress_within(body, coding, limits, share)


@pytest.mark.parametrize("coding", ["", "identity", " Identity "])
def test_no_coding_leaves_the_body_alone(coding: str, limits: Limits) -> None:
    assert decompress(BODY, coding, limits) is BODY


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "x-gzip"])
def test_gzip_is_inflated(coding: str, limits: Limits) -> None:
    assert decompress(gzip.compress(BODY), coding, limits) == BODY


def test_members_follow_each_other(limits: Limits) -> None:
    assert decompress(gzip.compress(BODY) * 2, "gzip", limits) == BODY * 2


def test_many_members_are_refused_at_once(limits: Limits) -> None:
    began = time.thread_time()  # CPU time, as other processes may run meanwhile
    with pytest.raises(InvalidRequestError, match="members"):
        decompress(gzip.compress(b"") * 100_000, "gzip", limits)
    assert time.thread_time() - began < 0.5


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"plain text", id="not gzip"),
        pytest.param(gzip.compress(BODY)[:-9], id="truncated"),
        pytest.param(gzip.compress(BODY)[:-8] + bytes(8), id="wrong checksum"),
        pytest.param(gzip.compress(BODY) + b"junk", id="trailing garbage"),
    ],
)
def test_a_broken_stream_is_invalid(broken: bytes, limits: Limits) -> None:
    with pytest.raises(InvalidRequestError):
        decompress(broken, "gzip", limits)


def test_the_limit_itself_is_allowed() -> None:
    limits = Limits(max_request_bytes=len(BODY))
    assert decompress(gzip.compress(BODY), "gzip", limits) == BODY


def test_a_bomb_is_too_large_and_never_inflated() -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(256)) + packer.flush()
    began = time.thread_time()  # CPU time, as other processes may run meanwhile
    with pytest.raises(RequestTooLargeError):
        decompress(bomb, "gzip", Limits(max_request_bytes=1 << 20))
    assert time.thread_time() - began < 0.5


def test_two_members_share_the_limit() -> None:
    with pytest.raises(RequestTooLargeError):
        decompress(gzip.compress(BODY) * 2, "gzip", Limits(max_request_bytes=len(BODY) + 1))


@pytest.mark.parametrize("coding", ["br", "zstd", "deflate", "gzip, gzip", "??"])
def test_other_codings_are_unsupported(coding: str, limits: Limits) -> None:
    with pytest.raises(UnsupportedEncodingError, match="Content-Encoding"):
        decompress(BODY, coding, limits)


@pytest.mark.parametrize("size", [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3_000_000])
@pytest.mark.parametrize("noise", [False, True], ids=["dense", "as it is"])
def test_any_size_is_inflated_piece_by_piece(size: int, noise: bool, limits: Limits) -> None:
    body = Random(7).randbytes(size) if noise else bytes(size)
    assert decompress(gzip.compress(body), "gzip", limits) == body


def test_inflated_bytes_are_taken_from_the_budget_before_they_gather() -> None:
    budget = InFlightBudget(10 * PIECE_BYTES)
    packed = gzip.compress(bytes(8 * PIECE_BYTES))
    with budget.reserve() as share:
        assert len(decompress_within(packed, "gzip", Limits(), share)) == budget.taken
        with budget.reserve() as neighbour, pytest.raises(OverloadedError):
            decompress_within(packed, "gzip", Limits(), neighbour)
    assert budget.taken == 0
