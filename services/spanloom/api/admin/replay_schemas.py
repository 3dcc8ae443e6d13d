"""Request and response models of replays, and the cursors of their list."""

import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from spanloom.api.query.cursors import decode_position, demand, encode_cursor
from spanloom.api.query.filters import Instant, Name
from spanloom.api.schemas import NextCursor, PageQuery
from spanloom.core.model.access import Reach
from spanloom.core.model.upkeep import Selection
from spanloom.core.records.upkeep import Replay

_REPLAY_ID = re.compile(r"[0-9a-f]{16}")


def encode_replay_cursor(replay_id: str, question: str = "") -> str:
    """Encode a replay id and the fingerprint of its query as a cursor."""
    return encode_cursor([replay_id], question)


def decode_replay_cursor(text: str, question: str = "") -> str:
    """Return the id; raises ``InvalidQueryError`` if it is invalid or of another query."""
    return decode_position(text, question, _replay_id)


def _replay_id(replay_id: str) -> str:
    demand(_REPLAY_ID.fullmatch(replay_id) is not None)
    return replay_id


class ReplayQuery(BaseModel):
    """Which trajectories to build again; a parameter that is not here is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: Annotated[Name | None, Field(description="Of this project.", examples=["default"])] = (
        None
    )
    since: Annotated[
        Instant | None,
        Field(
            description="Started at or after: RFC 3339, or milliseconds since the epoch.",
            examples=["2026-01-31T12:00:00Z"],
        ),
    ] = None
    until: Annotated[
        Instant | None,
        Field(
            description="Started before: RFC 3339, or milliseconds since the epoch.",
            examples=["1769860800000"],
        ),
    ] = None
    dialect: Annotated[
        Name | None, Field(description="With spans of this dialect.", examples=["openinference"])
    ] = None
    outdated: Annotated[
        bool,
        Field(description="Built by another version of the extractor only.", examples=[True]),
    ] = False

    def selection(self, callers: Reach, extractor_version: str) -> Selection:
        """Return the selection for the store, limited to the caller's projects."""
        return Selection(
            callers.narrowed(self.project),
            start_from_ns=self.since,
            start_before_ns=self.until,
            dialect=self.dialect,
            other_than=extractor_version if self.outdated else None,
        )


class ReplayPageQuery(PageQuery):
    """Which page of the list of replays to give."""

    cursor: Annotated[
        str | None,
        Field(
            max_length=4096,
            description="`next_cursor` of the page before; the other parameters as there.",
            examples=[encode_replay_cursor("00064119b2c8d000")],
        ),
    ] = None


class ReplayList(BaseModel):
    """A page of replays, newest first."""

    items: list[Replay]
    next_cursor: NextCursor
