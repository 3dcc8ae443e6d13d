"""Returns lists of rows in the media type that ``Accept`` requests.

In: a list in the store and the columns of its rows. Out: an HTTP response as JSON, NDJSON, CSV,
Arrow or Parquet, written page by page. Start at ``stream.py``, then ``forms.py``.
"""
