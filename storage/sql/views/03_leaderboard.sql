-- One row per run, and one for the articles of each snapshot ("Wikipedia"). The columns after `is_reference` are generated from
-- the table `metrics`. A column has the scores of one evaluator; it is NULL for runs that only another evaluator scored.
create or replace view leaderboard as
with totals as (
    select run_id, texts from kept_texts
    union all
    select run_id, max(scored + unscored) from metric_summaries where is_reference(run_id) group by run_id
),
numbers as (
    select
        run_id,
        map_from_entries(list((metric, {
            'mean': if(shown, mean, null), 'sd': if(shown, sd, null), 'low': if(shown, low, null), 'high': if(shown, high, null),
            'no_interval': if(shown, no_interval, null), 'texts': if(shown, scored, null),
            'status': if(
                shown, coverage(scored, unscored, reasons, greatest(if(is_read, 0, totals.texts), scored + unscored)), 'another evaluator'
            ),
            'scored_by': evaluator_id,
            'level': if(shown, level, null)
        }))) as of
    from column_scorings
    join scoring_summaries using (run_id, metric, evaluator_id)
    left join totals using (run_id)
    left join levels using (run_id, evaluator_id)
    group by run_id
)
select
    model,
    decoder,
    snapshot_id,
    rows.run_id as run_id,
    prompts,
    completions,
    protocol,
    dtype,
    knowledge_cutoff,
    seen_share,
    is_reference,
    {parts_of_each_metric}
from leaderboard_rows as rows
join numbers using (run_id)
order by snapshot_id desc, started_at, rows.run_id;

comment on view leaderboard is 'One row per run, and one for the articles of each snapshot (Wikipedia). Each metric has nine columns. The first is the mean by the evaluator that column_evaluators names. The others end in: _sd (the standard deviation over texts), _low and _high (the 95 % interval of the mean), _no_interval (why there is no interval), _texts (the number of scored texts), _status (why other texts have no score), _scored_by (the evaluator), _level (how far the scores were verified).';
comment on column leaderboard.model is 'The model; Wikipedia for the articles, references for the references in a file of texts.';
comment on column leaderboard.decoder is 'The decoder in canonical form; likelihood for a likelihood run; reference for the articles.';
comment on column leaderboard.snapshot_id is 'The snapshot.';
comment on column leaderboard.run_id is 'The run.';
comment on column leaderboard.prompts is 'The number of prompts that have kept texts; for a likelihood run, the number of articles that it has read.';
comment on column leaderboard.completions is 'The number of kept texts; 0 for a likelihood run.';
comment on column leaderboard.protocol is 'The settings that decide which texts are scored. Rows with the same protocol can be compared. NULL for the articles, which can be compared with any row.';
comment on column leaderboard.dtype is 'The data type in which the model computes.';
comment on column leaderboard.knowledge_cutoff is 'The last day (UTC) to which the model''s training data can reach; NULL if nobody states it, and for the articles.';
comment on column leaderboard.is_reference is 'Whether the row describes the articles or other references instead of a run.';
comment on column leaderboard.seen_share is 'The share of the run''s articles, from 0 to 1, that were created on or before the knowledge cutoff; NULL if that is not known.';
