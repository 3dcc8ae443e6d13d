-- Facts about the engine for the answers of the SQL port, and the path of the store.
SELECT version(), displayName(), timezone(), currentDatabase()
