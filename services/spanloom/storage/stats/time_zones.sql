-- The names of the time zones that the store knows.
SELECT time_zone
FROM system.time_zones
