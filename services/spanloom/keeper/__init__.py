"""The keeper: the one room that changes the schema, sets retention and deletes."""
