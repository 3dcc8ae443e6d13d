"""The HTTP API on port 8080: a package for each subject, and a few packages that all share.

In: HTTP requests from clients, the command line and the page (``http`` checks them, ``query`` reads
their filters). Out: stored documents, rows as JSON or another media type (``rows``), the change
feed (``feed``), problems. Start at ``app.py`` (``create_app``), then ``services.py``.
"""
