"""Runs of coding agents that came as several traces: which belong together.

``parts`` says what a trace is a part of, ``homes`` which trace shows the whole run.
"""
