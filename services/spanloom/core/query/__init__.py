"""What a reader may ask for: filters, and lists page by page."""
