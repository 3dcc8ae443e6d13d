-- Returns memory freed by the engine to the system; by itself the engine does so only later.
SYSTEM JEMALLOC PURGE
