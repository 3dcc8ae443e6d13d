"""The demonstration: a real agent run, recorded or live, sent over OTLP like any other.

``recording.binpb`` are the export requests of one run, ``recording.json`` says where it is from.
"""
