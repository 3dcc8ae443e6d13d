"""The web page: hand-written JavaScript modules, served without a build step (docs/viewer.md).

In: requests for pages and static files. Out: HTML documents, modules and styles. Start at
``site.py``, which answers these requests; ``modules.py`` finds which module imports which,
``libraries.py`` lists the libraries, ``vendored.py`` fetches them. The page itself is in
``static/`` and reads the service through its API only.
"""
