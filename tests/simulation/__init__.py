"""Collectors, extractors and a store whose tables become visible apart, simulated in one thread.

The real discovery, change window, building of batches and recorder run over a model of the
engine: tables are logs of committed blocks (``engine``), described with their views in ``tables``.
``store`` has the ports over them, statement by statement: at each one a process can be stopped,
killed, or left without an answer (``process``). ``world`` has the steps.

A change of the SQL or of the tables is a change of ``tables`` and ``store`` alone.
"""
