"""Losses of a format are reported: canonical → F → canonical differs only in reported places."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from tests.properties.test_exchange_coze_snorkel import documents as drafted
from tests.support.conversions import captured_runs
from tests.support.examples import examples
from tests.support.exchanged import read_all, values_in, write
from tests.support.lost import Difference, unexplained

from spanloom.core.exchange.kept import DIALECTS, FOLLOWING, OF_THE_SOURCE
from spanloom.core.exchange.sources import OTLP
from spanloom.core.extraction.restore import EXTRAS
from spanloom.core.formats.entry import Filed, Of
from spanloom.core.formats.imported import RECOMPUTED
from spanloom.core.formats.losses import Losses, NotHeldError
from spanloom.core.formats.readers import Taken
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.schema import canonical_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, Any]
FORMATS = [
    known.line
    for known in formats_of(Of.RUNS).values()
    if known.is_read and known.is_written and known.line not in (OTLP, "canonical")
]
OF_STEPS = [name for name in FORMATS if name.startswith(("coze", "snorkel", "mlflow", "data"))]
"""Formats that consist of steps, not of messages."""
COUNTED = {"pauses", "is_resuming", "duplicate_of", "warnings"}
"""Members that no format reads, in addition to those in ``OF_THE_SOURCE``."""
SAMPLES = [
    pytest.param(False, id="sample"),
    pytest.param(True, id="every", marks=[pytest.mark.slow, pytest.mark.timeout(1800)]),
]


def differences(name: str, document: Json) -> Sequence[Difference]:
    """Return the unreported differences of a run after a round trip; none if not writable."""
    losses = Losses()
    before = orjson.loads(orjson.dumps(document))
    try:
        body = write(name, document, losses)
    except NotHeldError:
        return ()
    values = values_in(name, body)
    if formats_of(Of.RUNS)[name].filed in (Filed.SPREAD, Filed.ARRAY):
        lists = (value if isinstance(value, list) else [value] for value in values)
        values = list(chain.from_iterable(lists))
    (found,) = read_all(name, *values)
    assert isinstance(found, Taken), found
    reported = [*losses.listed, *found.losses.listed]
    return list(unexplained(before, found.document, reported))


@pytest.mark.parametrize("every", SAMPLES)
@pytest.mark.parametrize("name", FORMATS)
def test_of_captured_runs_every_difference_is_reported(name: str, *, every: bool) -> None:
    for document in captured_runs(every=every):
        assert list(differences(name, document)) == []


@pytest.mark.parametrize("name", OF_STEPS)
@settings(max_examples=examples(200, 10))
@given(document=drafted())
def test_of_any_run_every_difference_is_reported(name: str, document: Json) -> None:
    assert list(differences(name, document)) == []


def test_every_member_of_extraction_is_known() -> None:
    """A new member must follow from the steps, be recomputed, or be counted as lost."""
    schema = canonical_schema()["definitions"]["Extraction"]["properties"]
    known = {*FOLLOWING, *RECOMPUTED, DIALECTS, *OF_THE_SOURCE, *COUNTED}
    assert schema.keys() | EXTRAS.keys() == known
