"""One module per dialect: how the spans of each convention are read.

In: stored spans. Out: for each a classification by the meaning of its convention, with the name of
the rule, and ``Facts``, the common form. Start with ``base.py``: it defines what a dialect
declares, finds the modules that export ``DIALECTS``, and orders them. A convention that frameworks
use in their own ways is a package with a module for each of its dialects.
"""
