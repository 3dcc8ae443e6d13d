"""One module per instrumentation convention: how its spans are read.

A dialect recognises its spans, classifies each by the convention's own meaning (with a rule
name that explains it) and describes those that matter in the common words. Attributes stay
on the stored span, so that a better dialect can read history again.
"""
