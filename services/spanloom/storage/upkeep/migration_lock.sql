SELECT count() AS sign, max(IsReleased) AS is_released
FROM {table:Identifier}
