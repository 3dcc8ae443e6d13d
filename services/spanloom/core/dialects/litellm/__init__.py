"""LiteLLM's callback."""

from spanloom.core.dialects.litellm.dialect import LiteLLM

DIALECTS = (LiteLLM(),)
