"""What changed, and how far the extractor has come."""
