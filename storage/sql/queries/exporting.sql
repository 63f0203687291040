-- Snapshots, runs and results to write to files.

-- name: export_articles
select * from articles where snapshot_id = ? order by page_id;

-- name: export_candidates
-- Every candidate, with the permanent link to the revision that was judged, if there is one.
select candidates.*, links.base || rev_id as permalink
from candidates
cross join (
    select any_value(regexp_replace(permalink, '\d+$', '')) as base from articles where snapshot_id = $1
) as links
where snapshot_id = $1
order by page_id;

-- name: exported_runs
select runs.* exclude (process) replace (state as status)
from runs
join run_states using (run_id)
where run_id = ?;

-- name: exported_completions
-- The completions of a run, with the titles of stored articles.
select completions.* exclude (token_ids, thinking_ids), stored_articles.title
from completions
join runs using (run_id)
left join stored_articles using (snapshot_id, page_id)
where run_id = ?
order by page_id, sample;

-- name: exported_scores
select run_id, page_id, sample, metric, value, status, evaluator_id
from current_scores
where run_id = ?
order by page_id, sample, metric;

-- name: exported_claims
-- The verdicts on claims by the evaluators whose scores are exported too.
select *
from claims
where run_id = $1 and evaluator_id in (select evaluator_id from current_scores where run_id = $1)
order by page_id, sample, evaluator_id, sentence;

-- name: exported_scores_wide
select * from scores_wide where run_id = ? order by page_id, sample;

-- name: exported_summaries
-- `status` is `ok`, or states how many of the run's kept texts have a score and why the other texts have none.
select
    metric_summaries.* replace (to_json(reasons) as reasons),
    coverage(scored, unscored, reasons, greatest(if(is_read, 0, texts), scored + unscored)) as status
from metric_summaries
left join kept_texts using (run_id)
where run_id = ?
order by metric;

-- name: exported_evaluators
-- The evaluators of the scores that are shown for these runs.
select *
from evaluators
where evaluator_id in (select evaluator_id from metric_summaries where run_id in (select unnest(?)))
order by evaluator_id;

-- name: exported_metrics
select *
from metrics
where metric in (select metric from metric_summaries where run_id in (select unnest(?)))
order by metric;

-- name: exported_judgements
-- Judgments with the criteria of their rubric.
select preferences.*, criteria as rubric
from preferences
join rubrics using (rubric_sha256)
where list_contains($1, run_a) and list_contains($1, run_b)
order by run_a, run_b, judge, origin, rubric_sha256, page_id, criterion, first;

-- name: results_run
select columns(runs.*), snapshots.articles, snapshots.content_sha256
from runs
left join snapshots using (snapshot_id)
where run_id = ?;

-- name: results
-- The summaries of a run: means over texts, with standard errors clustered by prompt if there is an interval, or the reason
-- why there is none. A score of a whole run has neither. Metrics without a score, and those of articles that the model has
-- read, are left out.
select
    summaries.metric,
    summaries.mean,
    if(summaries.low is not null, summaries.standard_error, null) as standard_error,
    summaries.scored,
    metrics.direction,
    summaries.no_interval,
    summaries.pages,
    summaries.evaluator_id,
    coverage(scored, unscored, reasons, greatest(coalesce(texts, 0), scored + unscored)) as status
from metric_summaries as summaries
join metrics using (metric)
left join kept_texts using (run_id)
where summaries.run_id = $1 and summaries.mean is not null and not is_read
order by summaries.metric;

-- name: results_by_evaluator
-- Every finished summary of a run by each evaluator, with the number of texts in the mean.
select
    found.*,
    unit,
    minimum,
    maximum,
    direction,
    definition,
    source,
    coverage(scored, unscored, reasons, greatest(if(is_read, 0, texts), scored + unscored)) as status
from scoring_summaries as found
join metrics using (metric)
left join kept_texts using (run_id)
where found.run_id = $1
order by found.metric, found.evaluator_id;

-- name: scored_instances
-- The scores of a run's texts by one metric and evaluator, each with the answer as written, the prose that was scored in its
-- place, and its article.
select
    scores.page_id,
    scores.sample,
    scores.value,
    completions.text,
    completions.prose,
    stored_articles.title,
    stored_articles.first_sentence,
    stored_articles.completion as reference
from scores
join runs using (run_id)
join completions using (run_id, page_id, sample)
join stored_articles using (snapshot_id, page_id)
where scores.run_id = $1 and metric = $2 and evaluator_id = $3 and value is not null
order by page_id, sample;

-- name: export_citations
select article_citations.*, title, permalink
from article_citations
join stored_articles using (snapshot_id, page_id)
where snapshot_id = ?
order by page_id, place;


-- name: export_tags
select article_tags.*, title, permalink
from article_tags
join stored_articles using (snapshot_id, page_id)
where snapshot_id = ?
order by page_id, place;


-- name: export_facts
select article_facts.*, title, permalink
from article_facts
join stored_articles using (snapshot_id, page_id)
where snapshot_id = ?
order by page_id, infobox, parameter;


-- name: export_structure
select article_structure.*, title, permalink
from article_structure
join stored_articles using (snapshot_id, page_id)
where snapshot_id = ?
order by page_id;
