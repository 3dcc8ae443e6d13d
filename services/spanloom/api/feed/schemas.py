"""Request and response models of the change feed."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from spanloom.api.feed.tokens import encode_token
from spanloom.api.feed.window import Wanted
from spanloom.api.query.filters import Filters, Name
from spanloom.api.query.questions import read_where
from spanloom.api.schemas import Where
from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.access import Reach
from spanloom.core.ports.feed import Announcement, FeedPage
from spanloom.core.query.positions import Position
from spanloom.core.query.where.tree import asks_for_words
from spanloom.core.records.change import Change

LONGEST_WAIT_S = 60
NO_WORDS = (
    "words cannot be followed, for what a run says is found some seconds after it is told of; ask"
    " the list for them"
)
EXAMPLE_TOKEN = encode_token(Position(1_715_400_004_600_000))


class ChangesQuery(Filters):
    """Which changes to tell, and since when; a parameter that is not here is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: Annotated[Name | None, Field(description="Of this project.", examples=["default"])] = (
        None
    )
    where: Where = None
    after: Annotated[
        str | None,
        Field(
            max_length=64,
            description="Behind this: `next` of the answer before, or `beginning` for all that is "
            "kept. Left out: what changes from now on.",
            examples=[EXAMPLE_TOKEN],
        ),
    ] = None
    wait: Annotated[
        float,
        Field(
            ge=0,
            le=LONGEST_WAIT_S,
            description="How many seconds to wait where nothing has changed yet. Events have no "
            "end and need none.",
            examples=[0],
        ),
    ] = 0
    fields: Annotated[
        Literal["core"] | None,
        Field(
            description="`core`: each item has the `trajectory` as the list shows it now.",
            examples=["core"],
        ),
    ] = None

    annotations: Annotated[
        bool,
        Field(
            description="Whether to tell also of runs whose annotations or scores changed: `what` "
            "says so. Of a blind queue's, once all annotators are done.",
            examples=[False],
        ),
    ] = False

    def wanted(self, callers: Reach) -> Wanted:
        """Return the query as filters of the feed, limited to the caller's projects.

        Raises ``InvalidQueryError``, also for a search for words: texts are indexed some seconds
        after their run is announced, so the run would be missed.
        """
        asked = read_where(self.where)
        if asks_for_words(asked):
            raise InvalidQueryError(NO_WORDS, "where")
        reach = callers.narrowed(self.project)
        return Wanted(reach, self.filter(), self.annotations, asked)


class ChangeItem(Change):
    """A version of a trajectory that was stored, or something new said of it."""

    @classmethod
    def shown(cls, announcement: Announcement, fields: str | None) -> Self:
        """Return an announcement as a response model; what it leaves out is unset."""
        more: dict[str, Any] = {"what": "annotations"} if announcement.is_said else {}
        if fields and announcement.now:
            more["trajectory"] = announcement.now.run
        return cls.made_of(announcement, **more)


class ChangeList(BaseModel):
    """What changed, oldest first."""

    items: list[ChangeItem]
    next: Annotated[str, Field(description="Pass it as `after` to be told what comes next.")]

    @classmethod
    def of(cls, page: FeedPage, fields: str | None) -> "ChangeList":
        """Return a page of the feed as a response model."""
        items = [ChangeItem.shown(one, fields) for one in page.announcements]
        return cls(items=items, next=encode_token(page.next))
