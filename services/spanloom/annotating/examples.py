"""Examples to train on over what is stored: what annotators corrected, run by run."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.annotation.corrections import Fate, examples_of
from spanloom.core.model.tenancy import Reach

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from spanloom.core.ports.reading import TrajectoryReader

    Json = dict[str, Any]  # as JSON gives and takes it


class Form(StrEnum):
    """What the lines of an export are."""

    JSONL = "jsonl"
    """What one annotator says of one run."""
    SFT = "sft"
    """`{messages}`: up to a corrected answer."""
    DPO = "dpo"
    """`{prompt, chosen, rejected}`: a corrected answer and the original."""


def in_form(
    store: TrajectoryReader, entries: Iterable[Json], form: Form, fates: Counter[str]
) -> Iterator[Json]:
    """Yield entries in a form; of examples counts in ``fates`` what became of corrections.

    Of examples one run is held at a time, and read only if something of it was corrected.
    """
    if form is Form.JSONL:
        yield from entries
        return
    fates.update(dict.fromkeys(map(str, Fate), 0))
    trace: tuple[str, str] = ("", "")
    document: Json | None = None
    for entry in entries:
        if b'"corrections"' not in orjson.dumps(entry):
            continue
        if (place := (entry["project"], entry["trace_id"])) != trace:
            trace, text = place, store.document(place[1], Reach.only(place[0]))
            document = orjson.loads(text) if text else None
        for example in examples_of(document, entry, fates):
            yield example.as_sft() if form is Form.SFT else example.as_dpo()
