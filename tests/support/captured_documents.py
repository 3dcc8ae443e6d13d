"""The documents of a captured run, extracted in this process, and a line with their hashes.

``python -m tests.support.captured_documents DIALECT/SCENARIO`` prints them, to diff two checkouts.
The extractor's version is left out, and every model has the same price, so that a new version or
price list changes no document.
"""

from __future__ import annotations

import hashlib
import sys
from decimal import Decimal
from typing import TYPE_CHECKING

from tests.support.extracted_captures import extract_capture
from tests.support.goldens import pretty
from tests.support.ground_truth import Capture
from tests.support.read_outline import decode_outline

from spanloom.core.document import Document
from spanloom.core.formats.json_bytes import dump
from spanloom.core.outline.columns import encode_outline
from spanloom.core.outline.rows import place_rows
from spanloom.core.pricing import OwnPrice, PriceBook, Rate, Rates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.support.ground_truth import Answer

PRICES = PriceBook([OwnPrice("*", Rates(input=Rate(Decimal(1)), output=Rate(Decimal(10))))])
HASH_CHARS = 12


def answers_of(capture: Capture) -> Sequence[Answer]:
    """Return the documents of a capture's traces, without the extractor's version."""
    answers = extract_capture(capture, PRICES)
    for answer in answers:
        del answer.document["extraction"]["extractor_version"]
    return answers


def line_of(capture: Capture) -> str:
    """Return a line: the name of a capture, its counts, and a hash of each kind of document."""
    answers = answers_of(capture)
    facts = {
        "traces": len(answers),
        "steps": sum(1 for answer in answers for _ in answer.steps()),
        "spans": sum(len(answer.spans) for answer in answers),
        "documents": _hash(dump(answer.document) for answer in answers),
        "span-documents": _hash(dump(answer.spans) for answer in answers),
        "outlines": _hash(map(_outline, answers)),
    }
    return " ".join([capture.id, *(f"{name}={fact}" for name, fact in facts.items())])


def _hash(bodies: Iterable[bytes]) -> str:
    return hashlib.sha256(b"\n".join(bodies)).hexdigest()[:HASH_CHARS]


def _outline(answer: Answer) -> bytes:
    return encode_outline(place_rows(Document(answer.document).by_id(), answer.spans), 1)


def main() -> None:
    """Print the documents of the named capture."""
    dialect, _, scenario = sys.argv[1].partition("/")
    for answer in answers_of(Capture(dialect, scenario)):
        outline = decode_outline(_outline(answer))
        sys.stdout.write(pretty(answer.document) + pretty(answer.spans))
        sys.stdout.write(pretty([outline.header, outline.columns]))


if __name__ == "__main__":
    main()
