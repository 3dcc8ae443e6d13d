"""Exchange with Potato: its task and its files, written and read as plain data.

Potato is a program of its own under the GPL: nothing of it is imported or copied here.
"""
