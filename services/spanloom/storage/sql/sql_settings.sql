-- Every setting that the engine has.
SELECT name FROM system.settings
