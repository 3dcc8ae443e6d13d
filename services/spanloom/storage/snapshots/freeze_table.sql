-- Makes hard links to the parts of a table in shadow/backup of the store; nothing is copied.
ALTER TABLE {table:Identifier} FREEZE WITH NAME 'backup'
