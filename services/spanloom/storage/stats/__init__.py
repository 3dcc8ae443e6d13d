"""Numbers over runs and their steps, worked out by the store."""
