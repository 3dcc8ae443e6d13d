"""Redaction: removes secrets, personal data or all content before anything is written.

In: spans of one request. Out: the same spans, changed in place, and counts by rule.
Start at ``redactor.py``; ``rules.py`` reads the rules, ``walk.py`` applies them. See ADR 022.
"""
