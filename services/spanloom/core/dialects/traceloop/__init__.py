"""OpenLLMetry (Traceloop): the convention, its SDK, and what each instrumentation makes of it."""
