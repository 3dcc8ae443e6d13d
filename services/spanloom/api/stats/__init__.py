"""Numbers over runs and steps, and the fields by which they can be grouped and asked for."""
