"""Stores scores from files imported through the API, as ``POST /v1/scores`` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from pydantic import ValidationError

from spanloom.api.annotations.annotators import project_for
from spanloom.api.annotations.score_schemas import ScoresRequest
from spanloom.core.errors import InvalidRequestError
from spanloom.core.model.access import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.annotation.services import Annotating
    from spanloom.core.model.access import Caller

    Items = Sequence[Mapping[str, object]]


def score_store_for(caller: Caller, annotating: Annotating) -> FileScores | None:
    """Return the ``ScoreTaker`` for a caller's files; ``None`` if the key may not annotate."""
    return FileScores(caller, annotating) if Scope.ANNOTATE in caller.scopes else None


class FileScores:
    """A ``ScoreTaker`` that stores scores in the projects that the caller may access."""

    def __init__(self, caller: Caller, annotating: Annotating) -> None:
        """Act for a caller whose key has the scope ``annotate``."""
        self._caller, self._annotating = caller, annotating

    def schemes(self, project: str) -> AbstractSet[str]:
        """See ``ScoreTaker``."""
        return self._annotating.schemes.names(project)

    def store(self, items: Items, project: str) -> int:
        """See ``ScoreTaker``."""
        within = project_for(self._caller, project or None)
        now_us = self._annotating.writing.now_us()
        return self._annotating.scores.store(
            [item.score(within, now_us) for item in _read(items).items]
        )


def _read(items: Items) -> ScoresRequest:
    """Return scores as a validated request; raises ``InvalidRequestError``."""
    try:
        return ScoresRequest.model_validate(orjson.loads(orjson.dumps({"items": items})))
    except ValidationError as error:
        raise InvalidRequestError(_sentence(error)) from error
    except (TypeError, ValueError) as error:  # not JSON, such as a number of 100 digits
        raise InvalidRequestError(str(error)) from error


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    _, _, *field = first["loc"]  # the location begins with items, n
    reason = first["msg"].removeprefix("Value error, ")
    return ": ".join([*filter(None, [".".join(map(str, field))]), reason])
