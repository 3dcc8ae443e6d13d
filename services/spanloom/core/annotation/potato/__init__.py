"""Exchanges annotations with Potato, a GPL program of which nothing is imported or copied here.

Input: documents and annotation entries, or the files of a Potato project. Output: the files of a
task, or annotation entries. An entry has one annotator's annotations of one run.
Start at ``folder.py`` (``TaskWriter`` and ``read_files``).
"""
