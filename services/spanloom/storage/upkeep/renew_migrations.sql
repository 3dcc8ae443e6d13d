INSERT INTO {table:Identifier} (IsReleased)
SELECT {is_released:Bool}
