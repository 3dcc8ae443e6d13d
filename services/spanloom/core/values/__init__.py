"""Values of attributes, nested in any way that SDKs write them: read within one bound."""
