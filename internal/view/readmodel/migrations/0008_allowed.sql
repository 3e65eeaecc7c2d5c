-- The word by which a person lets a denied call run once (GD-11), and who did. What was denied before has none.
ALTER TABLE prevented ADD COLUMN word TEXT NOT NULL DEFAULT '';
ALTER TABLE prevented ADD COLUMN allowed_by TEXT NOT NULL DEFAULT '';
-- Runs that go on with a gate that refused (CO-10).
CREATE INDEX runs_refused ON runs (last_event) WHERE json_array_length(listed, '$.run.refused') > 0 AND stands <> 'done';
