"""Langfuse: its SDKs' observations."""

from spanloom.core.dialects.langfuse.dialect import Langfuse

DIALECTS = (Langfuse(),)
