"""The demo: a real agent run, recorded or live, sent over OTLP.

In: a recording (``recording.binpb``: export requests; ``recording.json``: their origin) or live
agents. Out: OTLP requests to a receiver. Start at ``recording.py`` or ``live.py``. ``examples.py``
has the runs that the page loads, recorded as ``tests/fixtures/README.md`` describes.
"""
