"""Redaction: removes secrets, personal data or all content before anything is written.

Input: the spans in one request. Output: the same spans, changed in place, and the number of matches
by rule. Start at ``redactor.py``; ``rules.py`` parses the rules, and ``walk.py`` applies them. See
ADR 022.
"""
