"""How what was recorded is shown to people, wherever that is: pure, without colours."""
