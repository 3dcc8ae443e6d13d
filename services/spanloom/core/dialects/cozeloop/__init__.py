"""Coze Loop: its SDKs' spans."""

from spanloom.core.dialects.cozeloop.dialect import CozeLoop

DIALECTS = (CozeLoop(),)
