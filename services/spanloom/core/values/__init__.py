"""Parses attribute values in any form in which SDKs write them: JSON, reprs, flattened keys.

Input: raw attribute values of spans. Output: plain Python values, parsed within a size bound
(``bounds.py``). All JSON is parsed in ``attributes.py``; start there.
"""
