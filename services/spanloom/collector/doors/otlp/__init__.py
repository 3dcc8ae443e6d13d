"""OTLP itself: gRPC, protobuf and JSON."""
