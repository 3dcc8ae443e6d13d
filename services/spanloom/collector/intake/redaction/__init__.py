"""Redaction: removes secrets, personal data or all content before anything is written.

Input: spans of one request. Output: the same spans, changed in place, and counts by rule. Start at
``redactor.py``; ``rules.py`` parses the rules, ``walk.py`` applies them. See ADR 022.
"""
