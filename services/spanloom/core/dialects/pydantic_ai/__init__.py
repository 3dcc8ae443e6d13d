"""PydanticAI."""

from spanloom.core.dialects.pydantic_ai.dialect import PydanticAI

DIALECTS = (PydanticAI(),)
