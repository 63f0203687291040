-- The answers of experiments.

-- name: experiment
select experiment_id, name, version, snapshot_id, request, read, verdict, generalizes_over, words, made_at, methods
from experiments
where experiment_id = ?;

-- name: experiments_on
-- The newest answer to each question on a snapshot.
select experiment_id, name, version, snapshot_id, request, read, verdict, generalizes_over, words, made_at, methods
from experiments
where snapshot_id = ?
qualify row_number() over (partition by name, request::varchar order by made_at desc, experiment_id) = 1
order by name, made_at;

-- name: newest_sights
-- What each evaluator's metrics see, by the newest answer that has them.
select metric, evaluators.name, evaluators.version, direction, sees, snapshot_id, metric_sight.articles
from metric_sight
join experiments using (experiment_id)
join evaluators using (evaluator_id)
qualify row_number() over (
    partition by metric, evaluators.name, evaluators.version order by made_at desc, experiment_id
) = 1;

-- name: keep_methods
update experiments set methods = ? where experiment_id = ? and methods is null;

-- name: runs_read
-- The runs among the names $1, with the settings that produced them.
select
    run_id, model, model_sha256, runs.backend, decoder, prompt_template as template, runs.prompts, kept_prompts,
    asked.samples, asked.keep, runs.max_new_tokens, runs.seed, asked.dtype
from runs
join run_settings as asked using (run_id)
where run_id in (select unnest($1))
order by model, decoder, run_id;

-- name: evaluators_read
-- The evaluators among the names $1.
select evaluator_id, name, version, model, model_sha256
from evaluators
where evaluator_id in (select unnest($1))
order by name, evaluator_id;

-- name: snapshots_read
-- The snapshots that a name in $1 identifies: by their id, their content hash, or a run on them.
select snapshot_id, content_sha256, articles
from snapshots
where snapshot_id in (select unnest($1))
    or content_sha256 in (select unnest($1))
    or snapshot_id in (select snapshot_id from runs where run_id in (select unnest($1)))
order by snapshot_id;

-- name: scores_lacking
-- For the runs and evaluators among $1: how many texts of each run have no score by each metric, and why.
select run_id, metric, status as why, count(*) as texts
from scores
where run_id in (select unnest($1)) and evaluator_id in (select unnest($1)) and value is null
group by all
order by all;

-- name: result_view
-- The typed view of a result table. A single expression has all columns, because opening the file loads the
-- expressions of all views. A value of another type is NULL; `newwiki doctor` counts rows with such values.
create or replace view {table} as
select experiment_id, unnest(json_transform(row, '{structure}')) from experiment_rows where table_name = '{table}';

-- name: result_rows
-- The rows of answer $1 in result table $2, in the order in which they were stored.
select {columns}
from (
    select position, json_extract_string(row, [{fields}]) as found
    from experiment_rows
    where experiment_id = $1 and table_name = $2
)
order by position;

-- name: mistyped_result_rows
-- The number of rows of result table $1 that have a value of another type, which the view shows as NULL.
select count(*)
from (select json_extract_string(row, [{fields}]) as found from experiment_rows where table_name = $1)
where {mistyped};

-- name: keep_result_rows
insert into experiment_rows select $1, $2, position, to_json(row) from incoming;

-- name: adopt_result_rows
-- Moves the rows of a separate result table. Development versions before 0.2.0 had one for each result table.
insert into experiment_rows
select experiment_id, '{table}', row_number() over (partition by experiment_id order by rowid) - 1, to_json({row})
from {table}
order by rowid;
drop table {table};

-- name: matching_facts
-- The properties by which articles of a snapshot are matched with others. citations and topic are NULL if not known.
select page_id, words, citations, topics.topic
from stored_articles
left join article_structure using (snapshot_id, page_id)
left join topics using (snapshot_id, page_id)
where stored_articles.snapshot_id = ?
order by page_id;

-- name: snapshots_by_age
-- The newest snapshot of each window of a wiki, the oldest window first, without later editions.
select snapshot_id, kind, content_sha256, year(window_end) * 12 + month(window_end) - 2 as last_month
from snapshots
where wiki = ? and kind in ('new', 'old')
qualify row_number() over (partition by kind, window_start, window_end order by published_at desc, snapshot_id) = 1
order by window_start, snapshot_id;

-- name: article_dates
select page_id, year(created_at) * 12 + month(created_at) - 1 as month, words
from stored_articles
where snapshot_id = ?
order by page_id;

-- name: metric_directions
select metric, direction from metrics;

-- name: text_values
-- The scores of a run's texts by the metrics $2, given by their positions in the list. $3 are the metrics' evaluators in the
-- same order.
select page_id, sample, list_position($2, metric) - 1 as metric, value
from scores
where run_id = $1 and list_extract($3, list_position($2, metric)) = evaluator_id and value is not null
order by page_id, sample;

-- name: checked_sentences
-- The texts of run $1 that evaluator $3 has scored by metric $2, each with its first $4 sentences, their verdicts and their
-- evidence. A text without sentences has one row without a label.
select page_id, sample, label, evidence_title, evidence_sentence, start_char, end_char
from scores
left join claims using (run_id, page_id, sample, evaluator_id)
where run_id = $1
    and metric = $2
    and evaluator_id = $3
    and status in ('ok', 'no sentences')
    and coalesce(sentence, 0) < $4
order by page_id, sample, sentence;

-- name: who_judged
-- The model of an evaluator, and the hash of its weights.
select model, model_sha256 from evaluators where evaluator_id = ?;

-- name: answer_runs
-- The runs with the ids $1, in the form in which an answer records its data.
select run_id, snapshot_id, model, model_sha256, decoder, dtype, backend, seed
from runs
where run_id in (select unnest($1))
order by run_id;

-- name: experiments_answered
-- The experiments that have answers: how many, and the time of the newest.
select name, count(*) as answers, max(made_at) as newest
from experiments
group by name
order by name;

-- name: answers_of
-- All answers of an experiment, the newest first.
select experiment_id, snapshot_id, made_at, verdict
from experiments
where name = ?
order by made_at desc, experiment_id;
