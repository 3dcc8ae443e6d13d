-- Give the memory that the engine has freed back to the system, which it does by itself only later.
SYSTEM JEMALLOC PURGE
