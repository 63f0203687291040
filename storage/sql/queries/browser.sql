-- The pages of `newwiki browse`. A hidden run has its own page, and no other page lists it.

-- name: browse_snapshots
select
    snapshots.snapshot_id, wiki, kind, window_start, window_end, cutoff, published_at, candidates, articles,
    count(runs.run_id) as runs
from snapshots
left join (from runs anti join hidden_runs using (run_id)) as runs using (snapshot_id)
group by all
order by window_end desc, published_at desc;

-- name: browse_articles
-- Articles of the snapshot $1 whose titles contain $2: at most $3 rows, starting at row $4.
select page_id, title, topic, words, revisions, created_at, count(*) over () as found
from articles
where snapshot_id = $1 and contains(lower(title), lower($2))
order by title, page_id
limit $3 offset $4;

-- name: browse_article
select * from articles where snapshot_id = ? and page_id = ?;

-- name: browse_article_runs
-- Every run with completions for this article, with its first kept text, or its first answer if none is kept, if there is any.
select
    run_id, model, decoder, status, heard_at, process,
    count(*) as completions,
    unnest(min_by(
        {'sample': sample, 'text': coalesce(prose, text), 'no_answer': no_answer},
        (kept is distinct from true, no_answer is not null, sample)
    ))
from runs
join completions using (run_id)
where snapshot_id = ? and page_id = ? and run_id not in (select run_id from hidden_runs)
group by run_id, model, decoder, status, heard_at, process, started_at
order by started_at, run_id;

-- name: browse_article_means
-- The scores of each run for the article $2 of the snapshot $1, and the scores of the article itself: the mean over the run's
-- texts, and the number of texts. $3 are the metrics, $4 their evaluators in the same order.
with shown as (select unnest($3) as metric, unnest($4) as evaluator_id),
on_snapshot as (
    select run_id from runs where snapshot_id = $1 union all select 'reference:' || $1
),
scored as (
    select means.*
    from page_means_with_reading as means
    join shown using (metric, evaluator_id)
    join on_snapshot using (run_id)
    where page_id = $2
),
unscored as (
    select run_id, metric, evaluator_id, sum(texts)::bigint as texts, map_from_entries(list((reason, texts) order by reason)) as reasons
    from page_gaps_with_reading
    join shown using (metric, evaluator_id)
    join on_snapshot using (run_id)
    where page_id = $2
    group by run_id, metric, evaluator_id
)
select
    run_id, metric, evaluator_id, mean,
    coverage(
        coalesce(scored.texts, 0), coalesce(unscored.texts, 0), coalesce(reasons, map()),
        coalesce(scored.texts, 0) + coalesce(unscored.texts, 0)
    ) as status
from scored
full join unscored using (run_id, metric, evaluator_id)
order by metric, run_id;

-- name: browse_pair_texts
-- The first kept text of each of the runs $1 for each of the articles $2.
select run_id, page_id, min_by(coalesce(prose, text), (kept is distinct from true, no_answer is not null, sample)) as text
from completions
where run_id in (select unnest($1)) and page_id in (select unnest($2))
group by run_id, page_id;

-- name: browse_runs
-- The runs on a snapshot as stored, without the likelihood runs whose scores count as scores of others. browse_written gives
-- the progress of the runs that are not complete.
select
    run_id, snapshot_id, model, decoder, status, heard_at, process, started_at, finished_at, prompts, samples, versions,
    kept_prompts, kept_texts
from runs
where snapshot_id = ? and run_id not in (select run_id from hidden_runs)
    and run_id not in (select reading_run_id from readings)
order by started_at, run_id;

-- name: browse_incomplete
-- The runs that are not complete, with or without a snapshot, by their last heartbeat, the newest first.
select run_id, snapshot_id, model, decoder, status, heard_at, process, started_at, prompts, samples, versions
from runs
where status <> 'complete' and run_id not in (select run_id from hidden_runs)
order by heard_at desc nulls last, run_id;

-- name: browse_written
-- The number of texts that each of the runs $1 has written and the number of its prompts, or the number of articles read.
select run_id, count(*) as completions, count(distinct page_id) as pages
from completions
where run_id in (select unnest($1))
group by run_id
union all
select run_id, 0, count(distinct page_id)
from scores
where run_id in (select run_id from runs where samples = 0 and run_id in (select unnest($1)))
group by run_id;

-- name: browse_other_runs
-- Runs without a stored snapshot: runs on prompt sets, and texts with references of their own.
select run_id, model, decoder, status, heard_at, process, prompts
from runs
anti join snapshots using (snapshot_id)
anti join hidden_runs using (run_id)
order by started_at, run_id;

-- name: browse_run
from runs where run_id = ?;

-- name: browse_run_texts
-- The number of completions of a run, and the number of prompts that it has completed or articles that it has read.
select
    if(
        any_value(samples) = 0,
        (select count(distinct page_id) from scores where run_id = $1),
        count(distinct page_id)
    ) as written,
    count(page_id) as completions,
    count(*) filter (kept) as kept,
    count(*) filter (truncated) as truncated,
    count(no_answer) as no_answers
from runs
left join completions using (run_id)
where run_id = $1;

-- name: browse_run_metrics
-- The newest summaries of a run with their evaluators, and the summaries of the snapshot's articles by the same evaluators.
select
    run.metric, run.evaluator_id, metrics.unit, metrics.direction, metrics.definition, metrics.scope,
    run.mean, run.sd, run.low, run.high, run.no_interval, run.scored, run.unscored,
    coverage(run.scored, run.unscored, run.reasons, greatest(if(run.is_read, 0, texts), run.scored + run.unscored)) as status,
    wikipedia.mean as reference,
    coverage(wikipedia.scored, wikipedia.unscored, wikipedia.reasons, wikipedia.scored + wikipedia.unscored) as reference_status,
    concat_ws(' ', evaluators.name, evaluators.version, evaluators.model) as evaluator
from metric_summaries as run
join metrics using (metric)
join evaluators using (evaluator_id)
left join metric_summaries as wikipedia
    on wikipedia.run_id = ? and wikipedia.metric = run.metric and wikipedia.evaluator_id = run.evaluator_id
left join kept_texts on kept_texts.run_id = run.run_id
where run.run_id = ?
order by metrics.scope desc, run.metric;

-- name: browse_prompts
-- The completions or read articles of a run, page by page. $2 is the metric to sort by (null: by title), $3 whether the largest
-- values come first, $4 a page to restrict the result to (null: all pages), $5 the maximum number of rows, $6 the first row.
with written as (
    select run_id, page_id, count(*) as completions, count(*) filter (kept) as kept
    from completions
    where run_id = $1
    group by run_id, page_id
    union all
    select distinct run_id, page_id, 0, 0
    from scores
    where run_id in (select run_id from runs where run_id = $1 and samples = 0)
),
numbers as (
    select page_id, avg(value) as value, min(value) as lowest, max(value) as highest, count(value) as scored,
        count(*) - count(value) as unscored, histogram(current_scores.status) filter (value is null) as reasons
    from current_scores
    where run_id in (select $1 union all select reading_run_id from readings where run_id = $1) and metric = $2
    group by page_id
)
select
    page_id, title, articles.words, completions, kept, value, lowest, highest,
    coverage(scored, unscored, reasons, greatest(kept, scored + unscored)) as status,
    row_number() over placed as place,
    count(*) over () as prompts,
    lag(page_id) over placed as previous_page,
    lead(page_id) over placed as next_page
from written
join runs using (run_id)
left join articles using (snapshot_id, page_id)
left join numbers using (page_id)
window placed as (order by if($3, -value, value) nulls last, title, page_id)
qualify $4 is null or page_id = $4
order by place
limit $5 offset $6;

-- name: browse_completions
-- The completions of a prompt: the scored text, and the answer as the model wrote it where that is another text.
select
    sample, coalesce(prose, text) as text, if(prose <> text, text, null) as as_written, thinking, thinking_tokens, no_answer,
    tokens, words, finish_reason, truncated, kept
from completions
where run_id = ? and page_id = ?
order by sample;

-- name: browse_scores
select sample, metric, value, status, evaluator_id
from current_scores
where run_id = ? and page_id = ?
order by metric, sample;

-- name: browse_evaluators
-- The evaluators of a run's scores.
select distinct evaluator_id, name, version, evaluators.model, model_sha256
from metric_summaries
join evaluators using (evaluator_id)
where run_id = ?
order by name, evaluator_id;

-- name: browse_unfinished_scorings
-- The evaluators that have not finished scoring a run, with the number of scored texts.
select concat_ws(' ', name, version, model) as evaluator, count(distinct (page_id, sample)) as texts
from scores
anti join scorings using (run_id, evaluator_id)
join evaluators using (evaluator_id)
where run_id = ?
group by evaluator_id, name, version, model
order by evaluator;

-- name: browse_schema
-- The public views and tables with their columns in order. The comments of internal ones begin with "Internal.".
with known as (
    select 'view' as kind, view_name as table_name, comment from duckdb_views() where not internal
    union all
    select 'table', table_name, comment from duckdb_tables() where table_name not in ('schema_migrations', 'schema_views')
)
select kind, table_name, known.comment as comment, list(column_name order by column_index) as columns
from known
join duckdb_columns() as of_columns using (table_name)
where not starts_with(known.comment, 'Internal.')
group by all
order by kind desc, table_name;
