"""Invariant: datasets of Explorer, lists of messages, and requests of its SDK.

``writer`` makes a line for each agent, ``reader`` reads lines, ``scores`` their annotations.
"""
