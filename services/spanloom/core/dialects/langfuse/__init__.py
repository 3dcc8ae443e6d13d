"""Observations of Langfuse's SDKs."""

from spanloom.core.dialects.langfuse.dialect import Langfuse

DIALECTS = (Langfuse(),)
