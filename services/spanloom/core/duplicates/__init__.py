"""One call, one step: several spans, or several traces, that report the same call."""
