"""Parse attribute values in any form that SDKs write them: JSON, reprs, flattened keys.

Input: raw attribute values of spans. Output: plain Python values, parsed within one size bound
(``bounds``). All JSON is parsed in ``attributes``; start there.
"""
