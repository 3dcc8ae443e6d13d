DROP VIEW IF EXISTS {name:Identifier} SYNC
