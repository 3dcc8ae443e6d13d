"""The values that flow through the pipeline."""
