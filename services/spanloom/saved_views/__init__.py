"""Views of the page that projects store: made, renamed, replaced, deleted, chosen as defaults."""
