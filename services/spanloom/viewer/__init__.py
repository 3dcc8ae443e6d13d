"""The web page: hand-written JavaScript modules, served without a build step (docs/viewer.md).

In: requests for pages and static files. Out: HTML documents, modules and styles. Start at
``site.py``, which handles these requests; ``vendored.py`` lists and fetches the libraries. The page
itself is in ``static/`` and reads the service through its API only.
"""
