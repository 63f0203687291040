-- Queries of a snapshot's report and its figures.

-- name: report_runs
select run_id, snapshot_id, model, model_sha256, backend, decoder, decoder_parameters, prompt_template, prompts, seed, samples,
    keep, max_new_tokens, dtype, versions, prompt_sheet, numerics, protocol, knowledge_cutoff,
    knowledge_cutoff_from, truncated_texts, no_answers, coalesce(stopped, status) as status, started_at, finished_at,
    runs.heard_at, process
from runs
join run_states using (run_id)
where snapshot_id = ? and run_id not in (select run_id from hidden_runs)
order by started_at, run_id;

-- name: report_metrics
select metric as name, unit, minimum, maximum, direction, definition, source, scope, pitfalls
from metrics
where metric in (select unnest(?));

-- name: report_counterparts
-- The snapshots of the same wiki that have the other kind (new or old), the newest first.
select other.snapshot_id, other.kind
from snapshots
join snapshots as other on other.wiki = snapshots.wiki and other.kind <> snapshots.kind
where snapshots.snapshot_id = ? and snapshots.kind in ('new', 'old') and other.kind in ('new', 'old')
order by other.published_at desc;

-- name: report_distributions
-- The distribution of the scores of each run in $1: the quartiles, and the number of scores in each of $4 bins. $2 are the
-- metrics, $3 their evaluators in the same order. The bins are the same for all runs. The first and the last bin also have
-- the scores outside the range of the middle 99 % of completions, because the scores of articles are often far outside (1).
-- For the runs in $5, only articles of the snapshot $7 created after the days in $6, in the same order, count.
with after as (select unnest($5::varchar[]) as run_id, unnest($6::date[]) as day),
older as (
    select run_id, page_id from after join stored_articles on snapshot_id = $7 and not created_after(created_at, day)
),
shown as (select unnest($2) as metric, unnest($3) as evaluator_id),
chosen as (
    select scores.run_id, metric, evaluator_id, value
    from scores
    join shown using (metric, evaluator_id)
    join scorings using (run_id, evaluator_id)
    anti join older using (run_id, page_id)
    where scores.run_id in (select unnest($1)) and value is not null
),
ranges as (
    select metric, evaluator_id, quantile_cont(value, 0.005) as low, quantile_cont(value, 0.995) as high
    from chosen
    where not starts_with(run_id, 'reference:')
    group by all
),
quartiles as (
    select run_id, metric, evaluator_id, quantile_cont(value, [0.25, 0.5, 0.75]) as quartiles
    from chosen
    group by all
),
binned as (
    select run_id, metric, evaluator_id, low, high, count(*) as texts,
        if(high > low, least(greatest(floor($4 * (value - low) / (high - low)), 0), $4 - 1), 0)::int as bin
    from chosen
    join ranges using (metric, evaluator_id)
    group by all
)
select run_id, metric, evaluator_id, low, high, quartiles, list(bin) as bins, list(texts) as texts
from binned
join quartiles using (run_id, metric, evaluator_id)
group by all;

-- name: report_correlations
-- Pearson's correlation of each two of the metrics $2, given by their positions in the list, over the texts of the runs $1
-- that have both scores: over all texts, or over $4 texts that a hash draws. $3 are the metrics' evaluators in the same
-- order; $5 to $7 are as in report_distributions.
with after as (select unnest($5::varchar[]) as run_id, unnest($6::date[]) as day),
older as (
    select run_id, page_id from after join stored_articles on snapshot_id = $7 and not created_after(created_at, day)
),
shown as (select unnest($2) as metric, unnest($3) as evaluator_id, unnest(range(len($2))) as place),
drawn as (
    select run_id, page_id, sample
    from completions
    anti join older using (run_id, page_id)
    where run_id in (select unnest($1)) and kept
    order by md5(concat_ws(':', run_id, page_id, sample))
    limit $4
),
chosen as (
    select run_id, page_id, sample, place, value
    from scores
    join shown using (metric, evaluator_id)
    join drawn using (run_id, page_id, sample)
    join scorings using (run_id, evaluator_id)
    where value is not null
)
select one.place, other.place, count(*) as texts, corr(one.value, other.value) as correlation
from chosen as one
join chosen as other using (run_id, page_id, sample)
where one.place < other.place
group by all;

-- name: shown_claims
-- The verdicts on the texts of the runs in $1 about the pages in $2, by the evaluators whose scores are shown.
select claims.*, evaluators.name as evaluator, evaluators.model
from claims
join evaluators using (evaluator_id)
semi join metric_summaries using (run_id, evaluator_id)
where run_id in (select unnest($1)) and page_id in (select unnest($2))
order by run_id, page_id, sample, evaluator, sentence;

-- name: report_examples
-- For each run in $1, the texts with the lowest, the middle and the highest score by the metric $2 of the evaluator $3, with
-- their articles of the snapshot $4. `place` is the rank among `scored` texts. For the runs in $5, only articles created
-- after the days in $6, in the same order, count.
with after as (select unnest($5::varchar[]) as run_id, unnest($6::date[]) as day),
older as (
    select run_id, page_id from after join stored_articles on snapshot_id = $4 and not created_after(created_at, day)
),
ranked as (
    select scores.run_id, page_id, sample, value,
        row_number() over (partition by scores.run_id order by value, page_id, sample) as place,
        count(*) over (partition by scores.run_id) as scored
    from scores
    join scorings using (run_id, evaluator_id)
    anti join older using (run_id, page_id)
    where scores.run_id in (select unnest($1)) and metric = $2 and evaluator_id = $3 and value is not null
)
select run_id, place, scored, value, page_id, sample, snapshot_id, articles.title, articles.permalink, articles.first_sentence,
    articles.completion as reference, coalesce(prose, completions.text) as text, thinking, thinking_tokens,
    completions.words, completions.finish_reason
from ranked
join completions using (run_id, page_id, sample)
join articles using (page_id)
where articles.snapshot_id = $4 and place in (1, (scored + 1) // 2, scored)
order by run_id, place;

-- name: months_of_wiki
-- The snapshots of a wiki's months that have runs to show, the earliest first.
select snapshot_id
from snapshots
where wiki = ? and kind = 'new' and snapshot_id in (select snapshot_id from runs anti join hidden_runs using (run_id))
order by window_start, snapshot_id;
