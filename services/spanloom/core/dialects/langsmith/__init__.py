"""LangSmith."""

from spanloom.core.dialects.langsmith.dialect import LangSmith

DIALECTS = (LangSmith(),)
