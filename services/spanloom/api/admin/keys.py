"""Routes for API keys: create, list, revoke; `spanloom keys` does the same on the store."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request

from spanloom.api.admin.key_schemas import (
    EXAMPLE_KEY_ID,
    KEY,
    KEYS,
    NEW_KEY,
    KeyItem,
    KeyList,
    KeyRequest,
    NewKey,
)
from spanloom.api.http.doorkeeper import caller_of
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import problem_responses, store_problems
from spanloom.api.services import Using
from spanloom.core.model.access import ALL_PROJECTS, Scope

router = APIRouter(tags=["keys"])

KeyIdInPath = Annotated[
    str,
    Path(
        description="The public part of a key, as in the list.",
        examples=[EXAMPLE_KEY_ID],
        pattern="^[0-9a-f]{12}$",
    ),
]


@router.get(
    "/v1/keys",
    operation_id="listKeys",
    summary="List keys, newest first",
    responses={200: KEYS, **problem_responses(401, 403, 503)},
)
@needs(Scope.ADMIN)
async def list_keys(request: Request, using: Using) -> KeyList:
    """Return the keys of the caller's project; all keys if the caller may access all projects."""
    keys = await using.calls.run(using.keys.list, caller_of(request))
    return KeyList(items=[KeyItem.of(key) for key in keys])


@router.post(
    "/v1/keys",
    operation_id="createKey",
    summary="Make a key",
    responses={200: NEW_KEY, **store_problems(413)},
)
@needs(Scope.ADMIN, is_of_page=True)
async def create_key(requested: KeyRequest, request: Request, using: Using) -> NewKey:
    """Create a key for one project or for all; only this response shows it."""
    created = await using.calls.run(
        using.keys.create,
        ALL_PROJECTS if requested.project is None else requested.project,
        requested.scopes,
        requested.expires_at,
        caller_of(request),
    )
    return NewKey.with_secret(created)


@router.delete(
    "/v1/keys/{key_id}",
    operation_id="revokeKey",
    summary="Revoke a key",
    responses={200: KEY, **store_problems(404)},
)
@needs(Scope.ADMIN, is_of_page=True)
async def revoke_key(key_id: KeyIdInPath, request: Request, using: Using) -> KeyItem:
    """Revoke a key permanently, in every process within a second; it stays in the list."""
    key = await using.calls.run(using.keys.revoke, key_id, caller_of(request))
    if key is None:
        raise HTTPException(404, f"There is no key {key_id!r}.")
    return KeyItem.of(key)
