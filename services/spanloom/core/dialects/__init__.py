"""One folder per instrumentation: how the spans of each convention are read.

A dialect recognises its spans, classifies each by the convention's own meaning (with a rule
name that explains it) and describes those that matter in the common words. Attributes stay
on the stored span, so that a better dialect can read history again. To add one, add a folder that
exports ``DIALECTS``: ``base.py`` says what a dialect declares, ``order.py`` finds and orders them.
"""
