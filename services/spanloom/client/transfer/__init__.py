"""Exports many runs into a file, and imports files into a service.

In: a list of runs and a path, or the paths of files. Out: a finished file that an interrupted
export can resume, or requests to an OTLP receiver with a count of what was accepted. Start with
``export.export`` and ``sending.Sending``; ``spanloom export`` and ``spanloom import`` use them.
"""
