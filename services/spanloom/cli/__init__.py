"""The command line ``spanloom``: a module for each command, or for a few related commands.

In: arguments, environment variables and, for some commands, standard input. Out: text or JSON on
standard output, messages on standard error, and an exit status. Start with ``running``, which has
the table of commands.
"""
