-- Who Grafana is on a ClickHouse server: it reads three views and what is behind them, nothing else.
-- Of the settings it may set the one that its plugin must. The grants need no tables yet.
CREATE USER IF NOT EXISTS grafana IDENTIFIED BY 'grafana'
    SETTINGS readonly = 1, max_execution_time = 30 CHANGEABLE_IN_READONLY;

GRANT SELECT ON spanloom.v_trajectories TO grafana;
GRANT SELECT ON spanloom.v_steps TO grafana;
GRANT SELECT ON spanloom.v_spans TO grafana;
GRANT SELECT ON spanloom.trajectory_list TO grafana;
GRANT SELECT ON spanloom.otel_traces TO grafana;
