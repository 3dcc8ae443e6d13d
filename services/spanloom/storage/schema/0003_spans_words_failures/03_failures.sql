-- Why a run failed, in lists. Of runs that are stored already it is what their first step that failed
-- says, until they are extracted again.
ALTER TABLE trajectory_list
    ADD COLUMN IF NOT EXISTS ErrorType LowCardinality(String) DEFAULT `Steps.ErrorType`[arrayFirstIndex(failed -> failed, `Steps.HasError`)] COMMENT 'What went wrong: the type of the first failure that the run did not get over, else of the first; or empty.' AFTER Failures,
    ADD COLUMN IF NOT EXISTS ErrorMessage String DEFAULT `Steps.ErrorMessage`[arrayFirstIndex(failed -> failed, `Steps.HasError`)] CODEC(ZSTD(1)) COMMENT 'First 1,000 characters of what that failure says.' AFTER ErrorType;

CREATE OR REPLACE VIEW v_trajectories AS
SELECT * EXCEPT (Seq, IsDeleted, IsKept, RootId, `Steps.Id`, `Steps.Type`, `Steps.Name`, `Steps.Dialect`,
    `Steps.Parent`, `Steps.Agent`, `Steps.Enter`, `Steps.Exit`, `Steps.StartNs`, `Steps.DurationNs`, `Steps.Model`,
    `Steps.InputTokens`, `Steps.OutputTokens`, `Steps.ReasoningTokens`, `Steps.CacheReadTokens`,
    `Steps.CacheCreationTokens`, `Steps.Cost`, `Steps.FirstTokenMs`, `Steps.HasError`, `Steps.ErrorCode`,
    `Steps.ErrorType`, `Steps.ErrorMessage`, `Steps.Args`, `Steps.Text`, `Steps.Attributes`)
FROM trajectory_list FINAL
COMMENT 'Every trajectory once; add WHERE DuplicateOf = '''' to totals.';
