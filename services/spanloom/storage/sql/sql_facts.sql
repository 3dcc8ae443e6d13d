-- What the answers of the SQL port say of the engine, and where the store is.
SELECT version(), displayName(), timezone(), currentDatabase()
