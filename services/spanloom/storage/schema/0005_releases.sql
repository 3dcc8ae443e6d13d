-- Which version of the agent ran. Of spans that are stored already it is computed from their resource
-- when they are read; runs have it once they are extracted again.
ALTER TABLE otel_traces
    ADD COLUMN IF NOT EXISTS Release LowCardinality(String) MATERIALIZED if(ResourceAttributes['service.version'] != '', ResourceAttributes['service.version'], ResourceAttributes['vcs.ref.head.revision']) COMMENT 'Resource attribute service.version, or vcs.ref.head.revision.' AFTER Environment;

ALTER TABLE trajectories
    ADD COLUMN IF NOT EXISTS Release LowCardinality(String) COMMENT 'Which version of the agent ran, as the sender says; or empty.' AFTER Environment;

ALTER TABLE trajectory_list
    ADD COLUMN IF NOT EXISTS Release LowCardinality(String) COMMENT 'Which version of the agent ran, as the sender says; or empty.' AFTER Environment;

CREATE OR REPLACE VIEW v_trajectories AS
SELECT * EXCEPT (Seq, IsDeleted, IsKept, RootId, `Steps.Id`, `Steps.Type`, `Steps.Name`, `Steps.Dialect`,
    `Steps.Parent`, `Steps.Agent`, `Steps.Enter`, `Steps.Exit`, `Steps.StartNs`, `Steps.DurationNs`, `Steps.Model`,
    `Steps.InputTokens`, `Steps.OutputTokens`, `Steps.ReasoningTokens`, `Steps.CacheReadTokens`,
    `Steps.CacheCreationTokens`, `Steps.Cost`, `Steps.FirstTokenMs`, `Steps.HasError`, `Steps.ErrorCode`,
    `Steps.ErrorType`, `Steps.ErrorMessage`, `Steps.Args`, `Steps.Text`, `Steps.Attributes`)
FROM trajectory_list FINAL
COMMENT 'Every trajectory once; add WHERE DuplicateOf = '''' to totals.';
