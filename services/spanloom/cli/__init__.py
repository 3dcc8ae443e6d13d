"""The command line ``spanloom``, one file per command.

In: arguments, environment variables and, for some commands, standard input. Out: text or JSON on
standard output, messages on standard error, and an exit status (``running``). Start with ``group``,
the table of commands.
"""
