-- One row a run, the reference articles of each snapshot ("Wikipedia") among them. The columns after `scored_by` are
-- written from the table `metrics`. Two rows can be compared where `scored_by` is the same.
create or replace view leaderboard as
with texts as (
    select runs.run_id, runs.model, runs.decoder, runs.snapshot_id, runs.started_at,
        count(distinct completions.page_id) as prompts,
        count(completions.page_id) as completions
    from runs
    left join completions on completions.run_id = runs.run_id and completions.kept
    group by all
    union all
    select metric_summaries.run_id, 'Wikipedia', 'reference', snapshots.snapshot_id, snapshots.published_at,
        max(scored + unscored), max(scored + unscored)
    from snapshots
    join metric_summaries on metric_summaries.run_id = 'reference:' || snapshots.snapshot_id
    group by all
),
by_evaluators as (
    select run_id, left(sha256(string_agg(evaluator_id, ',' order by metric)), 8) as scored_by
    from metric_summaries
    group by run_id
)
select
    texts.model,
    texts.decoder,
    texts.snapshot_id,
    texts.run_id,
    texts.prompts,
    texts.completions,
    any_value(by_evaluators.scored_by) as scored_by,
    {mean_sd_interval_of_each_metric}
from texts
join by_evaluators using (run_id)
left join metric_summaries as summaries using (run_id)
group by texts.model, texts.decoder, texts.snapshot_id, texts.run_id, texts.prompts, texts.completions, texts.started_at
order by texts.snapshot_id desc, texts.started_at, texts.run_id;
