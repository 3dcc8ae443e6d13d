"""The Coze Loop SDKs' own ingestion."""
