"""A simulation of collectors, extractors and a store whose tables become visible separately.

It runs in one thread. The real discovery, change window, building of batches and recorder run over
a model of the engine: tables are logs of committed blocks (``engine``), described with their views
in ``tables``. ``store`` implements the ports over them, statement by statement: at each statement a
process can be stopped, killed, or left without a response (``process``). ``world`` has collectors,
extractors and time; ``steps`` has everything that may happen to them, as data. ``views`` has what
readers see; ``invariants`` has the conditions that must hold.

``test_defects`` has handmade scenarios, ``test_any_order`` random ones, ``found`` the failures that
the random ones have found.

A change of the SQL or of the tables requires a change of ``tables`` and ``store``, and of ``views``
if the queries of readers change:

- a table is a row type and a line of ``TABLES``; if the INSERT of spans fills it, it also needs a
  line of ``OF_SPANS`` and of ``blocks_of``, and ``may_lag``. Tables that extractors write never
  lag, because on one server every later SELECT sees an INSERT that has returned;
- a statement of a port is a ``select`` or an ``insert`` of its connection;
- an invariant is enabled by removing its name from ``invariants.BROKEN``.
"""
