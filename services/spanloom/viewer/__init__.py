"""The page in the browser: hand-written modules that are served as they are (docs/viewer.md).

``site.py`` answers requests for the page and its modules, ``modules.py`` knows which module imports
which, ``libraries.py`` lists the libraries, ``vendored.py`` fetches them. What the page does is in
``static/``; it knows the service by its API alone.
"""
