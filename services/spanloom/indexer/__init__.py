"""The indexer: puts what runs say into the index of words, beside the extraction."""
