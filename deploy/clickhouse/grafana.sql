-- Who Grafana is on a ClickHouse server: it reads the public views, nothing else; they leave out what was
-- deleted. `spanloom sql-account create NAME` makes such an account with a password of its own. Of the
-- settings it may set the one that its plugin must. The grants need no tables yet.
CREATE USER IF NOT EXISTS grafana IDENTIFIED BY 'grafana'
    SETTINGS readonly = 1, max_execution_time = 30 CHANGEABLE_IN_READONLY, max_memory_usage = 1073741824;

GRANT SELECT ON spanloom.v_trajectories TO grafana;
GRANT SELECT ON spanloom.v_steps TO grafana;
GRANT SELECT ON spanloom.v_documents TO grafana;
GRANT SELECT ON spanloom.v_spans TO grafana;
