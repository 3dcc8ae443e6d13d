"""Named rules: what a run must do or leave undone, without a reference and without a model.

In: the rules of a configuration by name, and a run. Out: one result a rule. Start with ``kind.py``;
``registry.py`` lists the rules, and each module beside it has those of one subject.
"""
