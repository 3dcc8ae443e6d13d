"""Collectors, extractors and a store whose tables become visible apart, simulated in one thread.

The real discovery, change window, building of batches and recorder run over a model of the
engine: tables are logs of committed blocks (``engine``), described with their views in ``tables``.
``store`` has the ports over them, statement by statement: at each one a process can be stopped,
killed, or left without an answer (``process``). ``world`` has collectors, extractors and time, and
``steps`` what may happen to them, as data. ``views`` has what readers see; ``invariants`` has what
has to hold.

``test_defects`` has scenarios by hand, ``test_any_order`` random ones, ``found`` what these found.

A change of the SQL or of the tables is a change of ``tables`` and ``store``, and of ``views`` if
readers ask otherwise:

- a table is a row type and a line of ``TABLES``; if the INSERT of spans fills it, also a line of
  ``OF_SPANS`` and of ``blocks_of``, and it ``may_lag``. What extractors write never lags: on one
  server an INSERT that has returned is seen by every later SELECT;
- a statement of a port is a ``select`` or an ``insert`` of its connection;
- an invariant is switched on by taking its name out of ``invariants.BROKEN``.
"""
