"""Coze Loop: its SDKs' spans."""
