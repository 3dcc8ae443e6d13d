"""Spans of Coze Loop's SDKs."""

from spanloom.core.dialects.cozeloop.dialect import CozeLoop

DIALECTS = (CozeLoop(),)
