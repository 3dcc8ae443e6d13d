"""Any gzip body is inflated to the bytes that were compressed, or is refused as invalid."""

from __future__ import annotations

import gzip
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from spanloom.collector.doors.decompress import PIECE_BYTES, gunzip
from spanloom.collector.intake.admission import InFlightBudget
from spanloom.collector.intake.limits import Limits
from spanloom.core.errors import InvalidRequestError

LIMITS = Limits()
payloads = st.builds(
    lambda text, times: (text * (times // (len(text) or 1) + 1))[:times],
    st.binary(max_size=40),
    st.sampled_from([0, 1, 300, PIECE_BYTES - 1, PIECE_BYTES, 3 * PIECE_BYTES + 1]),
)
members = st.lists(
    st.tuples(payloads, st.integers(0, 9)), min_size=1, max_size=LIMITS.max_gzip_members
)


def inflate(body: bytes) -> bytes | None:
    """Return the inflated bytes, or ``None`` if the body is refused as invalid."""
    budget = InFlightBudget(LIMITS.max_in_flight_bytes)
    with budget.reserve() as share:
        try:
            return gunzip(body, LIMITS, share)
        except InvalidRequestError:
            return None


@given(members)
def test_members_of_any_size_come_out_whole(found: list[tuple[bytes, int]]) -> None:
    body = b"".join(gzip.compress(payload, level) for payload, level in found)
    assert inflate(body) == b"".join(payload for payload, _ in found)


@given(members, st.integers(0))
def test_what_is_cut_off_is_refused_unless_it_ends_with_a_member(
    found: list[tuple[bytes, int]], at: int
) -> None:
    packed = [gzip.compress(payload, level) for payload, level in found]
    body = b"".join(packed)
    cut = at % len(body)
    ends = [*accumulate(map(len, packed))]
    whole = ends.index(cut) + 1 if cut in ends else None
    expected = None if whole is None else b"".join(payload for payload, _ in found[:whole])
    assert inflate(body[:cut]) == expected


@given(members, st.integers(0), st.integers(1, 255))
def test_what_is_damaged_is_refused_or_was_not_needed(
    found: list[tuple[bytes, int]], at: int, bits: int
) -> None:
    """A changed byte in a header, such as its time, is harmless; others break the checksum."""
    body = bytearray(b"".join(gzip.compress(payload, level) for payload, level in found))
    body[at % len(body)] ^= bits
    assert inflate(bytes(body)) in {None, b"".join(payload for payload, _ in found)}


@given(st.binary(max_size=100).filter(lambda body: not body.startswith(b"\x1f\x8b")))
def test_what_is_no_gzip_is_refused(body: bytes) -> None:
    assert inflate(body) is None
