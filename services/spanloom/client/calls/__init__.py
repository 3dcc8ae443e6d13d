"""The endpoints of the API: functions that build a request and define how its reply is parsed.

In: the arguments of a client method. Out: a ``Call``, a list to page through (``walks``) or a
``Feed``; no request is sent here. Start with ``runs``. A new endpoint is a function here, a line in
``Client`` and the same line in ``AsyncClient``.
"""
