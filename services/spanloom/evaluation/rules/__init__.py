"""Named rules on what a run must or must not do, without a reference and without a model.

In: the rules of a configuration, and a run. Out: one result for each rule. Start with
``kind.py``; ``registry.py`` lists the rules; each other module has the rules on one topic.
"""
