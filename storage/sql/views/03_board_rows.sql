-- The rows of the leaderboard without its columns of metrics, which take longer to compute. No board has a hidden run, or a
-- likelihood run whose numbers stand in the row of another run of its model.
create or replace view leaderboard_rows as
with of_references as (
    select model, snapshot_id, run_id, known_at, max(scored + unscored) as texts
    from reference_texts
    join metric_summaries using (run_id)
    group by model, snapshot_id, run_id, known_at
)
select
    model, decoder, snapshot_id, runs.run_id as run_id,
    coalesce(kept_texts.prompts, if(samples = 0, runs.prompts, 0)) as prompts, coalesce(texts, 0) as completions, protocol, dtype,
    runs.knowledge_cutoff as knowledge_cutoff, seen_share, false as is_reference, started_at
from runs
left join kept_texts using (run_id)
left join seen_shares using (run_id, snapshot_id)
where runs.run_id in (select run_id from scoring_summaries) and not is_prompt_set(snapshot_id)
    and runs.run_id not in (select run_id from hidden_runs)
    and runs.run_id not in (select reading_run_id from readings)
union all
select model, 'reference', snapshot_id, run_id, texts, texts, null, null, null, null, true, known_at
from of_references;

comment on view leaderboard_rows is 'Internal. The rows of the leaderboard without the columns of metrics.';
comment on column leaderboard_rows.model is 'The model; Wikipedia for the articles, references for the references in a file of texts.';
comment on column leaderboard_rows.decoder is 'The decoder in canonical form; likelihood for a likelihood run; reference for the articles.';
comment on column leaderboard_rows.snapshot_id is 'The snapshot.';
comment on column leaderboard_rows.run_id is 'The run.';
comment on column leaderboard_rows.prompts is 'The number of prompts that have kept texts; for a likelihood run, the number of articles that it has read.';
comment on column leaderboard_rows.completions is 'The number of kept texts; 0 for a likelihood run.';
comment on column leaderboard_rows.protocol is 'The settings that decide which texts are scored; NULL for the articles.';
comment on column leaderboard_rows.dtype is 'The data type in which the model computes.';
comment on column leaderboard_rows.knowledge_cutoff is 'The last day (UTC) to which the model''s training data can reach; NULL if nobody states it, and for the articles.';
comment on column leaderboard_rows.seen_share is 'The share of the run''s articles, from 0 to 1, that were created on or before the knowledge cutoff; NULL if that is not known.';
comment on column leaderboard_rows.is_reference is 'Whether the row describes the articles or other references instead of a run.';
comment on column leaderboard_rows.started_at is 'The time at which the run started or the snapshot was published.';
