-- One row a run, the reference articles of each snapshot ("Wikipedia") among them. The columns after `scored_by` are
-- written from the table `metrics`. Two rows can be compared where `scored_by` is the same.
create or replace view leaderboard as
with kept as (
    select run_id, count(*) as prompts, sum(texts)::bigint as completions
    from (select run_id, page_id, count(*) as texts from completions where kept group by run_id, page_id)
    group by run_id
),
numbers as (
    select
        run_id,
        left(sha256(string_agg(evaluator_id, ',' order by metric)), 8) as scored_by,
        max(scored + unscored) as texts,
        map_from_entries(list((metric, {'mean': mean, 'sd': sd, 'low': low, 'high': high}))) as of
    from metric_summaries
    group by run_id
),
rows as (
    select model, decoder, snapshot_id, run_id, coalesce(prompts, 0) as prompts, coalesce(completions, 0) as completions,
        started_at
    from (select run_id, model, decoder, snapshot_id, started_at from runs)
    left join kept using (run_id)
    union all
    select 'Wikipedia', 'reference', snapshot_id, run_id, texts, texts, published_at
    from snapshots
    join numbers on run_id = 'reference:' || snapshot_id
)
select
    model,
    decoder,
    snapshot_id,
    rows.run_id,
    rows.prompts,
    rows.completions,
    scored_by,
    {mean_sd_interval_of_each_metric}
from rows
join numbers using (run_id)
order by snapshot_id desc, started_at, rows.run_id;

comment on view leaderboard is 'A row a run, and one for the articles of each snapshot (Wikipedia). For each metric four columns: its mean, and with _sd, _low and _high the standard deviation over texts and the 95 % interval of the mean.';
comment on column leaderboard.model is 'The model; Wikipedia for the articles.';
comment on column leaderboard.decoder is 'The decoder in canonical form.';
comment on column leaderboard.snapshot_id is 'The snapshot.';
comment on column leaderboard.run_id is 'The run.';
comment on column leaderboard.prompts is 'How many prompts have kept texts.';
comment on column leaderboard.completions is 'How many texts are kept.';
comment on column leaderboard.scored_by is 'A hash of who made the numbers: rows that have the same can be compared.';
