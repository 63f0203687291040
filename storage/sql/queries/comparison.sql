-- Queries for comparing runs.

-- name: named_runs
-- Everything that has a name: every run with its settings, and the scored articles of each snapshot.
select
    run_id, model, decoder, snapshot_id, seed, settings_json, knowledge_cutoff, weights, status, hidden, started_at, wiki, window_end,
    published_at
from (
    select
        runs.run_id, model, decoder, snapshot_id, runs.seed, to_json(asked)::varchar as settings_json, knowledge_cutoff,
        left(model_sha256, 8) as weights, state as status,
        runs.run_id in (select run_id from hidden_runs) as hidden, started_at
    from runs
    join run_settings as asked using (run_id)
    join run_states using (run_id)
    union all
    select run_id, model, 'reference', snapshot_id, null, null, null, null, 'complete', false, known_at
    from reference_texts
    where run_id in (select run_id from scorings)
)
left join (select snapshot_id, wiki, window_end, published_at from snapshots) using (snapshot_id)
order by started_at, run_id;

-- name: common_articles
-- The pages that are in two snapshots of one wiki with the same title and text. For texts with references of their own, the
-- prompts that are in both files: their page ids are hashes of prompt and reference.
select page_id
from stored_articles as one
join stored_articles as other using (page_id, title, text_sha256)
where one.snapshot_id = $1 and other.snapshot_id = $2
    and (select count(distinct wiki) from snapshots where snapshot_id in ($1, $2)) = 1
union all
(
    select page_id from completions join runs using (run_id) where snapshot_id = $1 and snapshot_id like 'file:%'
    intersect
    select page_id from completions join runs using (run_id) where snapshot_id = $2 and snapshot_id like 'file:%'
);

-- name: shared_items
-- Pairs of articles of two snapshots from two wikis that have the same Wikidata item and were created in the period that both
-- windows share. An item has one page per wiki.
with days as (
    select max(window_start) as begin_at, min(window_end) as end_at from snapshots where snapshot_id in ($1, $2)
),
begun as (
    select snapshot_id, page_id, wikibase_item
    from stored_articles
    join topics using (snapshot_id, page_id)
    join days on created_at >= begin_at and created_at < end_at
    where wikibase_item is not null
)
select one.page_id, other.page_id
from begun as one
join begun as other using (wikibase_item)
where one.snapshot_id = $1 and other.snapshot_id = $2
order by wikibase_item;

-- name: items_known
-- Whether the Wikidata items of a snapshot's articles were looked up.
select count(*) > 0 from topics where snapshot_id = ?;

-- name: created_after
-- The pages of a snapshot that were created after a day (UTC).
select page_id from stored_articles where snapshot_id = ? and created_after(created_at, ?);

-- name: article_titles
-- The titles of these pages of a snapshot.
select page_id, title from stored_articles where snapshot_id = $1 and page_id in (select unnest($2));

-- name: text_scorings
-- The evaluators that have scored the texts of these runs, by metric, and the times at which they finished.
select run_id, metric, evaluator_id, finished_at
from stored_summaries
join scorings using (run_id, evaluator_id)
where run_id in (select unnest(?))
order by all;

-- name: scorings_with_reading
-- The same, with the scorings of the likelihood runs of the runs' models. One that several runs share is left out unless $2.
with read_in as (
    select coalesce(reading_run_id, run_id) as reading_run_id
    from (select unnest($1) as run_id)
    left join readings using (run_id)
)
select run_id, metric, evaluator_id, finished_at
from summaries_with_reading
join scorings_with_reading using (run_id, evaluator_id)
where run_id in (select unnest($1))
    and (not is_read or $2 or (select count(*) = 1 or count(distinct reading_run_id) > 1 from read_in))
order by all;

-- name: reading_runs
-- The likelihood runs of the models of these runs.
select distinct reading_run_id from readings where run_id in (select unnest(?)) order by all;

-- name: text_coverage
-- The number of texts in the means of the runs $1 by the metrics $2. $3 are the metrics' evaluators in the same order.
select run_id, metric, coverage(scored, unscored, reasons, greatest(if(is_read, 0, texts), scored + unscored)) as status
from summaries_with_reading
left join kept_texts using (run_id)
where run_id in (select unnest($1)) and list_extract($3, list_position($2, metric)) = evaluator_id
order by metric, run_id;

-- name: page_means
-- The mean score of each prompt. Runs and metrics are given by their positions in the lists $1 and $2; $3 are the metrics'
-- evaluators in the same order. $4 is page_means, or page_means_with_reading to include what the runs' models have read.
select
    list_position($1, run_id) - 1 as run,
    list_position($2, metric) - 1 as metric,
    page_id,
    mean
from query_table($4)
where run_id in (select unnest($1))
    and list_extract($3, list_position($2, metric)) = evaluator_id;

-- name: evaluators_named
-- Descriptions of these evaluators, with one column for each property in which two evaluators can differ.
select
    evaluator_id,
    model,
    name || ' ' || version as program,
    'weights ' || left(model_sha256, 8) as weights,
    dtype,
    backend,
    nullif(trim(dependencies::varchar, '{}'), '') as dependencies,
    nullif(trim(parameters::varchar, '{}'), '') as parameters
from evaluators
where evaluator_id in (select unnest(?));

-- name: evaluators_of_runs
-- The evaluators of all scores of runs.
select evaluator_id, name, model
from evaluators
where evaluator_id in (select evaluator_id from scorings)
order by evaluator_id;

-- name: evaluators_described
select evaluator_id, name, version, model, model_sha256, dtype, backend, parameters, dependencies
from evaluators
where evaluator_id in (select unnest(?))
order by name, evaluator_id;

-- name: spans
-- The largest possible difference between two scores of each metric; NULL if the metric declares no bound.
select metric, maximum - minimum from metrics where metric in (select unnest(?));

-- name: ranges
select metric, minimum, maximum from metrics where metric in (select unnest(?));

-- name: metric_names
select metric from metrics order by metric;

-- name: direction
select direction from metrics where metric = ?;

-- name: board_rows
select
    board.model, board.decoder, board.snapshot_id, board.run_id, board.prompts, board.completions, board.knowledge_cutoff,
    board.seen_share, runs.seed, runs.model_sha256, board.protocol,
    if(asked.run_id is null, null, to_json(asked)::varchar) as settings
from leaderboard_rows as board
left join run_settings as asked using (run_id)
left join runs using (run_id)
where $1 is null or board.snapshot_id = $1
order by board.snapshot_id desc, board.started_at, board.run_id;

-- name: board_summaries
-- Every finished scoring of the runs $1. $2 are the numbers of texts of these runs in the same order.
select
    run_id, metric, evaluator_id, finished_at, mean, sd, low, high, no_interval, scored,
    coverage(scored, unscored, reasons, greatest(if(is_read, 0, $2[list_position($1, run_id)]), scored + unscored)) as status,
    level
from scoring_summaries
left join levels using (run_id, evaluator_id)
where run_id in (select unnest($1));

-- name: incomplete_texts
-- The runs in $1 with completions without an answer, or with more than the share $2 of their scored texts truncated. The
-- reasons of missing answers are without details, and with their numbers of completions.
with found as (
    select run_id, model, decoder, seed, snapshot_id, kept_texts, truncated_texts, no_answers, started_at
    from runs
    where run_id in (select unnest($1)) and (no_answers > 0 or truncated_texts > $2 * kept_texts)
),
counted as (
    select
        run_id, count(*) as completions,
        histogram(left(split_part(no_answer, ':', 1), 60)) filter (no_answer is not null) as reasons
    from completions
    where run_id in (select run_id from found where no_answers > 0)
    group by run_id
)
select found.* exclude (started_at), completions, reasons
from found
left join counted using (run_id)
order by started_at, run_id;

-- name: prompt_repeaters
-- The runs in $1 of whose texts with a score of the metric $2 more than the share $4 score at least $3, by
-- the newest scoring of each run. No run with a mean of at most $3 * $4 has so many, so its texts are not read.
with newest as (
    select run_id, evaluator_id
    from metric_summaries
    where run_id in (select unnest($1)) and metric = $2 and mean > $3 * $4
)
select run_id, count(*) filter (value >= $3) as repeating, count(*) as texts
from scores
join newest using (run_id, evaluator_id)
where metric = $2 and value is not null
group by run_id
having repeating > $4 * texts
order by run_id;
