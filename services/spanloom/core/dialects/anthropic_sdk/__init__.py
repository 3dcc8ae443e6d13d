"""Anthropic's SDK for Python."""

from spanloom.core.dialects.anthropic_sdk.dialect import AnthropicSDK

DIALECTS = (AnthropicSDK(),)
