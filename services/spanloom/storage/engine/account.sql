SELECT currentUser() AS account, currentDatabase() AS db
