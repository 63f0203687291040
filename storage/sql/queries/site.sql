-- Queries of a site, in addition to those of a snapshot's report.

-- name: site_snapshots
select * from snapshots order by window_start desc, window_end desc, wiki, published_at desc, snapshot_id;

-- name: site_runs
-- The scored runs on snapshots, with their settings and the times at which they finished.
select
    runs.run_id, runs.snapshot_id, wiki, kind, runs.model, model_sha256, backend, decoder, decoder_short, prompt_template, prompts,
    seed, samples, keep, max_new_tokens, dtype, knowledge_cutoff, knowledge_cutoff_from, runs.finished_at,
    scored_at
from runs
join snapshots using (snapshot_id)
join (select run_id, max(finished_at) as scored_at from scorings group by run_id) using (run_id)
where run_id not in (select run_id from hidden_runs)
order by window_start desc, wiki, snapshot_id, model, decoder, run_id;

-- name: site_runs_left_out
-- The number of scored runs without a snapshot, apart from hidden ones.
select count(*)
from runs
where run_id in (select run_id from scorings) and snapshot_id not in (select snapshot_id from snapshots)
    and run_id not in (select run_id from hidden_runs);

-- name: site_trends
-- The runs of all months on the scale of their wiki's newest linked month, by the evaluators of the leaderboard's columns.
select
    newest.wiki, trends.model, coalesce(model_sha256, '') as model_sha256, trends.decoder, trends.metric, trends.evaluator_id,
    trends.snapshot_id, trends.month, run_id, trends.protocol, articles, mean, to_snapshot, linked, low, high, no_link, via
from model_trends as trends
join column_evaluators using (metric, evaluator_id)
join (
    select wiki, last(snapshot_id order by window_start, published_at) as to_snapshot
    from snapshots
    where kind = 'new' and snapshot_id in (select to_snapshot from model_trends)
    group by wiki
) as newest using (to_snapshot)
left join runs using (run_id)
order by wiki, metric, month desc, trends.model, trends.decoder, run_id;

-- name: site_texts
-- All completions of a run on a snapshot, those that were not kept too, with the titles of their articles.
select page_id, title, sample, kept, text
from completions
join runs using (run_id)
join articles using (snapshot_id, page_id)
where run_id = ?
order by page_id, sample;
