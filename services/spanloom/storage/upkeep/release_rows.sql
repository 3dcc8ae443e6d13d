ALTER TABLE {table:Identifier}
UPDATE IsKept = false WHERE IsKept
