"""Checks items of evaluation sets by the limits and members of Coze Loop's interface."""

from __future__ import annotations

import orjson
from jsonschema import Draft202012Validator
from tests.support.exchange_validators.coze import check_published

_FIELD = {
    "type": "object",
    "required": ["name", "content"],
    "additionalProperties": False,
    "properties": {
        "name": {"enum": ["trajectory", "input", "reference_output"]},
        "content": {
            "type": "object",
            "required": ["content_type", "text"],
            "additionalProperties": False,
            "properties": {"content_type": {"const": "text"}, "text": {"type": "string"}},
        },
    },
}
_ITEM = Draft202012Validator(
    {
        "type": "object",
        "required": ["item_key", "turns"],
        "additionalProperties": False,
        "properties": {
            "item_key": {"type": "string", "minLength": 1, "maxLength": 255},
            "turns": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["field_datas"],
                    "additionalProperties": False,
                    "properties": {
                        "field_datas": {"type": "array", "maxItems": 50, "items": _FIELD}
                    },
                },
            },
        },
    }
)
_MOST = 204_800


def check(body: bytes) -> None:
    """Raise if the body is not an item that an evaluation set accepts."""
    item = orjson.loads(body)
    _ITEM.validate(item)
    if len(body) > _MOST:
        raise ValueError(f"it has {len(body):,} bytes")
    for turn in item["turns"]:
        texts = {one["name"]: one["content"]["text"] for one in turn["field_datas"]}
        check_published(orjson.loads(texts["trajectory"]))
