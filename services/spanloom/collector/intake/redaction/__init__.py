"""What must not be stored, taken out of requests before anything is written. See ADR 022."""
