-- Runs, their states and their completions.

-- name: run_list
select
    runs.* exclude (process) replace (state as status), run_id in (select run_id from hidden_runs) as hidden
from runs
join run_states using (run_id)
order by started_at, run_id;

-- name: complete_runs
-- The complete runs that have completions. Likelihood runs have no texts to score.
select run_id, snapshot_id, exists (from snapshots where snapshots.snapshot_id = runs.snapshot_id) as has_articles
from runs
where status = 'complete' and samples > 0
order by started_at, run_id;

-- name: unfinished_runs
-- The runs that have not ended as far as the database shows, and the interrupted runs.
select run_id, status, heard_at, process
from runs
where status in ('running', 'interrupted')
order by started_at, run_id;

-- name: registered_runs
-- The runs on a snapshot with these settings. A deterministic decoder writes one completion per prompt, a likelihood run
-- none.
select run_id
from runs
where snapshot_id = $1
    and prompts = least(coalesce($2, prompts), (select articles from snapshots where snapshot_id = $1))
    and (samples = 0 or ((samples, keep) in (($3, $4), (1, 1)) and max_new_tokens = $5 and seed = $6))
    and prompt_template = $7;

-- name: trained_runs
-- Models that were trained on articles on which they are tested, one row per model and number of these articles.
select distinct
    model, (versions ->> 'trained_articles')::bigint as trained, prompts, versions ->> 'training_snapshots' as origin
from runs
where snapshot_id = coalesce(?, snapshot_id) and (versions ->> 'trained_articles')::bigint > 0
order by all;

-- name: run_cutoff
select knowledge_cutoff, knowledge_cutoff_from from runs where run_id = ?;

-- name: runs_of_model
-- The runs of the model $1, the oldest first.
select run_id from runs where model = $1 order by started_at, run_id;

-- name: fill_protocol
-- Adds the protocol to a run without one: a run that an older version has shared.
update runs
set protocol = protocol_of(backend, decoder, samples, keep, max_new_tokens, prompt_template, versions)
where run_id = ? and protocol is null;

-- name: newest_run
-- The complete run with texts that finished last and is not hidden.
select run_id, snapshot_id
from runs
anti join hidden_runs using (run_id)
where status = 'complete' and samples > 0
order by finished_at desc, run_id desc
limit 1;

-- name: short_forms
select run_id, decoder, decoder_short from runs order by started_at, run_id;

-- name: resume_run
update runs
set status = 'running', versions = json_merge_patch(versions, '{"resumed": "yes"}')
where run_id = ?;

-- name: hear
update runs set heard_at = now(), process = ? where run_id = ?;

-- name: end_run
update runs set status = $1, heard_at = now(), process = null, finished_at = if($1 = 'interrupted', null, now())
where run_id = $2;

-- name: partial_page_means
-- The mean score of each prompt of the run $1, whose scoring need not be finished. Metrics are given by their positions in
-- the list $2; $3 are their evaluators in the same order.
select list_position($2, metric) - 1 as metric, page_id, avg(value order by sample) as mean
from scores
where run_id = $1 and value is not null and list_extract($3, list_position($2, metric)) = evaluator_id
group by all;

-- name: stopped_runs
-- The runs on the snapshot $1, or on all, that a verdict stopped.
select run_id, model, stopped
from runs
join run_states using (run_id)
where stopped is not null and ($1 is null or snapshot_id = $1)
order by started_at, run_id;

-- name: stopped_run
select stopped from run_states where run_id = ? and stopped is not null;

-- name: stored_completions
select page_id, sample from completions where run_id = ?;

-- name: stored_answers
-- The completions of a run, what the servers of their models said about themselves, and their tokens as servers count them.
select
    count(*) as completions,
    coalesce(list(distinct served_by order by served_by) filter (served_by <> ''), []) as served_by,
    coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
    coalesce(sum(cached_tokens), 0)::bigint as cached_tokens,
    coalesce(sum(tokens + coalesce(thinking_tokens, 0)), 0)::bigint as written_tokens,
    count(*) filter (prompt_tokens is null or tokens is null) as uncounted
from completions
where run_id = ?;

-- name: server_batches
-- The ids of the batches of a run at its server, in the order in which they were sent.
select unnest(from_json(versions -> 'server_batches', '["varchar"]')) from runs where run_id = ?;

-- name: add_server_batch
update runs
set versions = json_merge_patch(
    versions,
    json_object('server_batches', list_append(
        coalesce(from_json(versions -> 'server_batches', '["varchar"]'), []), $1
    ))
)
where run_id = $2;

-- name: written_pages
select distinct page_id
from completions
where run_id = ?;

-- name: mark_kept
-- Keeps the longest answers to each prompt by words, and the earlier sample of two that are equally long.
update completions
set kept = no_answer is null and ranked.place <= ?
from (
    select run_id, page_id, sample,
        row_number() over (
            partition by run_id, page_id order by no_answer is not null, words desc, sample
        ) as place
    from completions
    where run_id = ?
) as ranked
where completions.run_id = ranked.run_id
    and completions.page_id = ranked.page_id
    and completions.sample = ranked.sample;

-- name: mark_kept_of_pages
-- The same for the pages $3 of the run $2 alone, with $1 answers to each prompt.
update completions
set kept = no_answer is null and ranked.place <= $1
from (
    select run_id, page_id, sample,
        row_number() over (
            partition by run_id, page_id order by no_answer is not null, words desc, sample
        ) as place
    from completions
    where run_id = $2 and page_id in (select unnest($3))
) as ranked
where completions.run_id = ranked.run_id
    and completions.page_id = ranked.page_id
    and completions.sample = ranked.sample;

-- name: count_texts
-- Stores of the run $1 the numbers of prompts with kept texts, of kept texts, of those that were cut off, and of completions
-- without an answer.
update runs
set kept_prompts = found.prompts, kept_texts = found.texts, truncated_texts = found.truncated, no_answers = found.no_answers
from (
    select
        count(distinct page_id) filter (kept) as prompts,
        count(*) filter (kept) as texts,
        count(*) filter (kept and truncated) as truncated,
        count(no_answer) as no_answers
    from completions
    where run_id = $1
) as found
where run_id = $1;

-- name: kept_completions
select page_id, sample
from completions
where run_id = ? and kept
order by page_id, sample;

-- name: kept_texts
select page_id, sample, coalesce(prose, text)
from completions
where run_id = ? and kept and page_id between ? and ?
order by page_id, sample;

-- name: hide_runs
insert into hidden_runs
select run_id, now()
from (select distinct unnest($1::varchar[]) as run_id)
anti join hidden_runs using (run_id);

-- name: keep_former_models
-- Stores the names that the models of the runs $1 lose by the new name $2.
insert into renamed_runs
select run_id, model, now()
from runs
anti join renamed_runs on renamed_runs.run_id = runs.run_id and former_model = model
where runs.run_id in (select unnest($1)) and model <> $2;

-- name: former_models
select former_model from renamed_runs where run_id = ?;

-- name: references_of_only
-- The files of texts whose references only the runs $1 use.
select snapshot_id
from runs
where snapshot_id like 'file:%'
group by snapshot_id
having bool_and(run_id in (select unnest($1)));

-- name: columns_of_runs
-- Every column of a table that names a run.
select table_name, column_name
from duckdb_columns()
join duckdb_tables() using (database_name, table_name)
where database_name = current_database() and column_name in ('run_id', 'run_a', 'run_b')
order by table_name, column_name;

-- name: answers_resting_on
-- The answers of experiments that were computed from any of the runs $1.
select count(*)
from experiments
where exists (from (select unnest($1) as run_id) as named where contains(experiments.read::varchar, '"' || named.run_id || '"'));

-- name: listed_models
-- The models of all runs that are not hidden, each with its weights.
select
    model, left(model_sha256, 12) as weights, count(*) as runs, count(distinct snapshot_id) as snapshots,
    string_agg(distinct decoder_short, ', ' order by decoder_short) as decoders, max(knowledge_cutoff) as knowledge_cutoff, max(started_at) as newest
from runs
anti join hidden_runs using (run_id)
where $1 is null or model = $1
group by model, model_sha256
order by newest desc, model, weights;
