-- Returns memory that the engine has freed to the system, which the engine itself does only later.
SYSTEM JEMALLOC PURGE
