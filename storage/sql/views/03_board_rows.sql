-- The rows of the leaderboard without its numbers, which take longer.
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
union all
select model, 'reference', snapshot_id, run_id, texts, texts, null, null, null, null, true, known_at
from of_references;

comment on view leaderboard_rows is 'Internal. The rows of the leaderboard without its numbers.';
comment on column leaderboard_rows.model is 'The model; Wikipedia for the articles, references for those that a file of texts brought.';
comment on column leaderboard_rows.decoder is 'The decoder in canonical form; likelihood of a run that reads articles and writes none.';
comment on column leaderboard_rows.snapshot_id is 'The snapshot.';
comment on column leaderboard_rows.run_id is 'The run.';
comment on column leaderboard_rows.prompts is 'How many prompts have kept texts; of a run that reads articles how many it has read.';
comment on column leaderboard_rows.completions is 'How many texts are kept; 0 of a run that reads articles.';
comment on column leaderboard_rows.protocol is 'What decides which texts are judged. NULL for the articles.';
comment on column leaderboard_rows.dtype is 'The numbers that the model computes with.';
comment on column leaderboard_rows.knowledge_cutoff is 'The last day (UTC) of what the model can have seen; NULL where nobody says, and for the articles.';
comment on column leaderboard_rows.seen_share is 'The share of the run''s articles that were created on or before that day; NULL where it is not known.';
comment on column leaderboard_rows.is_reference is 'Whether it is of articles or other references, and not of a run.';
comment on column leaderboard_rows.started_at is 'When the run was begun, or the snapshot published.';
