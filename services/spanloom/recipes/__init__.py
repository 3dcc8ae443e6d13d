"""How agents of each framework are made to send: a file for each way, tried by the tests."""
