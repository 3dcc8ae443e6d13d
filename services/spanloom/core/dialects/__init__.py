"""One module per dialect: how the spans of each convention are read.

A dialect recognises its spans, classifies each by the meaning of its convention (with a rule
name that explains the decision) and extracts ``Facts``, the common form, from the relevant ones.
Attributes stay on the stored span, so that a better dialect can read old traces again. To add one,
add a module that exports ``DIALECTS``: ``base.py`` defines what a dialect declares, finds
the dialects and orders them. A convention that frameworks use in their own ways is a package with
a module for each of its dialects.
"""
