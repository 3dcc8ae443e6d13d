-- What tells which of two traces of one run counts: that which tells more of it. And the index has tool
-- runs too: where an instrumentation loses its place, a tool is a trace of its own.

ALTER TABLE steps
    ADD COLUMN IF NOT EXISTS Richness UInt8 DEFAULT (Input != '') + (Output != '') + (Model != '') + (ifNull(FirstTokenMs, 0) != 0) + (InputTokens != 0) + (OutputTokens != 0) + (ReasoningTokens != 0) + (CacheReadTokens != 0) + (CacheCreationTokens != 0) + (ErrorCode NOT IN (0, -1)) + (ErrorType != '') + (ErrorMessage != '') CODEC(ZSTD(1)) COMMENT 'How many things are told of it: texts, model, kinds of tokens, what a failure was.' AFTER IsBare,
    COMMENT COLUMN IF EXISTS CallKey 'Key of a model call or tool run; a repeated report of it has the same, or its counterpart.',
    COMMENT COLUMN IF EXISTS IsBare 'Whether it is a model call, and all there is in its trace.';

CREATE OR REPLACE VIEW v_steps AS
SELECT * EXCEPT (Seq, IsDeleted, CallKey, IsBare, Richness) FROM steps FINAL
COMMENT 'Every step of the current trajectories once.';

ALTER TABLE call_index
    COMMENT COLUMN IF EXISTS CallKey 'Key of a model call or tool run.',
    COMMENT COLUMN IF EXISTS StepId 'Step that reported it.';

ALTER TABLE trajectories COMMENT COLUMN IF EXISTS DuplicateOfSpanId 'Model or tool step in that trace, or empty.';
