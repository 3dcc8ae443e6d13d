-- The names of the time zones of the store.
SELECT time_zone
FROM system.time_zones
