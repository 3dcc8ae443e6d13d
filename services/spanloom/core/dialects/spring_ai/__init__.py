"""Spring AI."""

from spanloom.core.dialects.spring_ai.dialect import SpringAI

DIALECTS = (SpringAI(),)
