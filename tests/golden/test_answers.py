"""Every GET route returns its golden response."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import httpx
import pytest
from tests.support.answer_text import answer_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.golden_store import GoldenService
    from tests.support.goldens import Goldens

REQUESTS = Path(__file__).parent / "requests.txt"
FOLDER = "answers"


class Request(NamedTuple):
    operation: str
    address: str
    form: str
    """The media type in the ``Accept`` header."""


def read_requests() -> Iterator[Request]:
    for line in REQUESTS.read_text().splitlines():
        if line and not line.startswith("#"):
            operation, rest = line.split(" ", 1)
            address, slash, form = _split_form(rest)
            yield Request(operation, address, f"{slash}{form}" or "application/json")


def _split_form(rest: str) -> tuple[str, str, str]:
    """Return a path, and the two parts of the media type if the last word is one."""
    for start in ("application/", "text/"):
        address, found, form = rest.rpartition(f" {start}")
        if found:
            return address, start, form
    return rest, "", ""


REQUESTED = [*read_requests()]
OPERATIONS = sorted({request.operation for request in REQUESTED})


def test_every_route_is_asked(golden_service: GoldenService) -> None:
    paths = httpx.get(f"{golden_service.api}/openapi.json").json()["paths"].values()
    reading = {methods["get"]["operationId"] for methods in paths if "get" in methods}
    assert reading == {*OPERATIONS}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_answers(operation: str, golden_service: GoldenService, goldens: Goldens) -> None:
    texts = [_ask(one, golden_service) for one in REQUESTED if one.operation == operation]
    goldens.check(f"{FOLDER}/{operation}.txt", "\n".join(texts))


def test_no_file_is_stale(goldens: Goldens) -> None:
    goldens.check_folder(FOLDER, (f"{operation}.txt" for operation in OPERATIONS))


def _ask(request: Request, service: GoldenService) -> str:
    address = request.address.format(**service.runs)
    accepted = {"accept": request.form}
    answer = httpx.get(service.api + address, headers=accepted, timeout=30)
    title = f"=== GET {address}  {request.form}\n"
    if request.operation == "getDiagnosis":  # the other fields describe this machine
        return title + "".join(f"{one['name']}\n" for one in answer.json()["findings"])
    return service.steady(title + answer_text(answer))
