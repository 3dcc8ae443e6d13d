"""Request and response models for API keys; only the response to a creation has the secret."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from spanloom.access.keys import CreatedKey
from spanloom.api.query import Instant, Name
from spanloom.api.responses import answer
from spanloom.core.model.access import ALL_PROJECTS, Key, Scope
from spanloom.core.model.notation import rfc3339

EXAMPLE_KEY_ID = "0f3a9c5b7d21"
Moment = Annotated[
    str | None, Field(description="RFC 3339 in UTC, or null.", examples=["2026-01-31T12:00:00Z"])
]


class KeyRequest(BaseModel):
    """A key to make."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: Annotated[
        Name | None,
        Field(
            description="The one project that it may access; null for all.", examples=["support"]
        ),
    ]
    scopes: Annotated[
        frozenset[Scope],
        Field(description="Its permissions; no scope implies another.", examples=[["ingest"]]),
    ]
    expires_at: Annotated[
        Instant | None,
        Field(
            description="RFC 3339, or milliseconds since the epoch; absent or null: never.",
            examples=["2126-01-31T12:00:00Z"],
        ),
    ] = None


class KeyItem(BaseModel):
    """A key, without its secret."""

    id: Annotated[str, Field(description="Public: it names the key.", examples=[EXAMPLE_KEY_ID])]
    project: Annotated[str | None, Field(description="The one project, or null for all.")]
    scopes: list[Scope]
    created_at: Moment
    expires_at: Moment
    revoked_at: Moment
    last_used_at: Annotated[Moment, Field(description="To about a minute.")]

    @classmethod
    def of(cls, key: Key) -> "KeyItem":
        """Return a stored key as a response model."""
        return cls(
            id=key.id,
            project=None if key.project == ALL_PROJECTS else key.project,
            scopes=sorted(key.scopes),
            created_at=rfc3339(key.created_ns),
            expires_at=rfc3339(key.expires_ns),
            revoked_at=rfc3339(key.revoked_ns),
            last_used_at=rfc3339(key.used_ns),
        )


class NewKey(KeyItem):
    """A key that was just made."""

    key: Annotated[str, Field(description="What senders and readers send. Not shown again.")]

    @classmethod
    def with_secret(cls, created: CreatedKey) -> "NewKey":
        """Return a new key with its secret as a response model."""
        return cls(**KeyItem.of(created.key).model_dump(), key=created.text)


class KeyList(BaseModel):
    """Every key that the caller administers, newest first."""

    items: list[KeyItem]


_KEY = {
    "id": EXAMPLE_KEY_ID,
    "project": "support",
    "scopes": ["ingest"],
    "created_at": "2026-01-31T12:00:00Z",
    "expires_at": "2026-03-01T00:00:00Z",  # FastAPI leaves nulls out of examples
    "revoked_at": "2026-02-02T09:00:00Z",
    "last_used_at": "2026-02-01T08:30:00Z",
}
_KEY_TEXT = f"sl_{EXAMPLE_KEY_ID}_{'x' * 43}"
KEY = answer("The key, revoked.", "KeyItem", _KEY)
KEYS = answer("The keys.", "KeyList", {"items": [_KEY]})
NEW_KEY = answer("The new key.", "NewKey", {**_KEY, "key": _KEY_TEXT})
