"""OpenTelemetry's GenAI conventions."""

from spanloom.core.dialects.otel_genai.dialect import OtelGenAI

DIALECTS = (OtelGenAI(),)
