"""A run as one file of HTML that needs nothing: no script, no other file, no network.

``steps.py`` chooses and nests what is in it, ``texts.py`` writes what was said, ``page.py``
puts the file together.
"""
