"""The pure core: what a span, a dialect and a trajectory are.

Nothing in here reads a clock, the environment, a file or the network, and nothing logs.
"""
