"""A run or a conversation as a file of HTML that needs nothing: no script, no other file.

``steps.py`` chooses and nests what is in it, ``texts.py`` writes what was said, ``page.py``
puts the file of a run together, ``conversation.py`` that of several.
"""
