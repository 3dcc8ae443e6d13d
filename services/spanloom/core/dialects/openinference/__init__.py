"""OpenInference: the convention, and what each framework's instrumentation makes of it."""
