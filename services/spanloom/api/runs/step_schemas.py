"""Request and response models of the list of steps, and its cursors."""

from typing import Annotated

from pydantic import BaseModel, Field

from spanloom.api.query.cursors import decode_position, demand, encode_cursor, is_position
from spanloom.api.query.filters import Filters
from spanloom.api.query.questions import fingerprint, read_steps_where, read_where
from spanloom.api.rows.choice import STEP_GROUPS, read_fields
from spanloom.api.rows.columns import Columns, columns_of
from spanloom.api.schemas import Fields, NextCursor, PageQuery
from spanloom.core.ports.steps import StepCursor, StepsAsked
from spanloom.core.query.lists import Cursor
from spanloom.core.query.where.problems import both
from spanloom.core.records.step import StepRow


def encode_step_cursor(cursor: StepCursor, question: str) -> str:
    """Encode a position and the fingerprint of its query as text that is safe in a URL."""
    return encode_cursor(cursor, question)


def decode_step_cursor(text: str, question: str) -> StepCursor:
    """Return the position; raises ``InvalidQueryError`` if it is invalid or of another query."""
    return decode_position(text, question, _step)


def _step(*parts: object) -> StepCursor:
    cursor = StepCursor(*parts)  # type: ignore[arg-type]  # looked at below
    demand(is_position(Cursor(cursor.start_ns, cursor.trace_id, cursor.project)))
    demand(type(cursor.position) is int and 0 <= cursor.position < 2**32)
    return cursor


class StepsQuery(PageQuery, Filters):
    """Which steps to list, and of which runs."""

    where: Annotated[
        str | None,
        Field(
            max_length=4096,
            description="Which steps: `/v1/fields` names what can be asked of them.",
            examples=["type = tool and error"],
        ),
    ] = None
    run_where: Annotated[
        str | None,
        Field(max_length=4096, description="Of which runs.", examples=["has_error"]),
    ] = None

    fields: Fields = None

    def columns(self) -> Columns:
        """Return the selected columns; raises ``InvalidTextError``."""
        return read_fields(self.fields, columns_of(StepRow), STEP_GROUPS)

    def asked(self) -> StepsAsked:
        """Return the query for the store; raises ``InvalidQueryError``."""
        steps, runs = both(
            lambda: read_steps_where(self.where), lambda: read_where(self.run_where, "run_where")
        )
        return StepsAsked(steps, runs)

    def after(self) -> StepCursor | None:
        """Return where the page starts, ``None`` for the first; raises ``InvalidQueryError``."""
        return None if self.cursor is None else decode_step_cursor(self.cursor, fingerprint(self))


class StepList(BaseModel):
    """A page of steps: newest run first, the steps of each by their position."""

    items: list[StepRow]
    next_cursor: NextCursor
