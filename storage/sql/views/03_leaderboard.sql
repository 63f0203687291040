-- One row a run, the reference articles of each snapshot ("Wikipedia") among them. The columns after `is_reference` are written from
-- the table `metrics`. A column holds the numbers of one evaluator; where another made them they are NULL.
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
                shown, coverage(scored, unscored, reasons, greatest(coalesce(totals.texts, 0), scored + unscored)), 'another evaluator'
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

comment on view leaderboard is 'A row a run, and one for the articles of each snapshot (Wikipedia). For each metric nine columns: its mean by the evaluator that column_evaluators names, and with _sd, _low and _high the standard deviation over texts and the 95 % interval of the mean, with _no_interval why it has none, with _texts and _status how many texts it stands on and what there is to say of the others, with _scored_by who made it, with _level how far it was verified.';
comment on column leaderboard.model is 'The model; Wikipedia for the articles, references for those that a file of texts brought.';
comment on column leaderboard.decoder is 'The decoder in canonical form; likelihood of a run that reads articles and writes none.';
comment on column leaderboard.snapshot_id is 'The snapshot.';
comment on column leaderboard.run_id is 'The run.';
comment on column leaderboard.prompts is 'How many prompts have kept texts; of a run that reads articles how many it has read.';
comment on column leaderboard.completions is 'How many texts are kept; 0 of a run that reads articles.';
comment on column leaderboard.protocol is 'What decides which texts are judged: rows that have the same can be compared. NULL for the articles, which go with any.';
comment on column leaderboard.dtype is 'The numbers that the model computes with.';
comment on column leaderboard.knowledge_cutoff is 'The last day (UTC) of what the model can have seen; NULL where nobody says, and for the articles.';
comment on column leaderboard.is_reference is 'Whether it is of articles or other references, and not of a run.';
comment on column leaderboard.seen_share is 'The share of the run''s articles that were created on or before that day; NULL where it is not known.';
