"""The demo: a real agent run, recorded or live, sent over OTLP.

In: a recording (``recording.binpb``: export requests; ``recording.json``: their origin) or live
agents. Out: OTLP requests to a receiver. Start at ``recording.py`` or ``live.py``. ``examples.py``
returns the example runs that the web page loads; ``tests/fixtures/README.md`` describes their
recording.
"""
