-- The time that generation, scoring and requests to a wiki have taken so far.

-- name: plan_writing
-- The generation time of each complete run. Resumed runs are left out, because their times include the pause.
-- If several workers shared a run, the size is that of one worker's part.
with written as (
    select run_id, count(*) as completions, sum(tokens)::double as tokens, sum(strlen(text))::double as bytes
    from completions
    group by run_id
    having count(tokens) = count(*)
)
select
    concat_ws(' ', model_sha256, decoder, dtype) as kind, model, completions, tokens, bytes,
    tokens / coalesce(try_cast(versions ->> 'workers' as bigint), 1) as size,
    greatest(epoch(finished_at - started_at), 1e-3) as seconds
from runs
join written using (run_id)
where status = 'complete' and finished_at > started_at and versions ->> 'resumed' is null
order by started_at, run_id;

-- name: plan_scoring
-- The time from each run's end to its first scoring, and the number of texts read: the kept texts of the run, and the
-- articles that no run scored earlier had.
with finished as (
    select run_id, evaluator_id, finished_at
    from scorings
    semi join scores using (run_id, evaluator_id)
),
first_scored as (
    select *
    from finished
    qualify finished_at = min(finished_at) over (partition by run_id)
),
kept as (
    select run_id, page_id, count(*) filter (kept) as texts from completions group by run_id, page_id
),
read as (
    select
        run_id, page_id, texts,
        row_number() over (
            partition by runs.snapshot_id, page_id, evaluator_id order by first_scored.finished_at, run_id
        ) = 1 and not is_prompt_set(runs.snapshot_id) as with_article
    from first_scored
    join runs using (run_id)
    join kept using (run_id)
),
pages as (
    select run_id, page_id, any_value(texts) + bool_or(with_article)::bigint as texts from read group by run_id, page_id
),
sizes as (
    select run_id, sum(texts) as texts from pages group by run_id
),
judges as (
    select
        run_id, min(finished_at) as scored_at, string_agg(evaluator_id, ' ' order by evaluator_id) as kind
    from first_scored
    group by run_id
)
select
    kind, texts / coalesce(try_cast(versions ->> 'workers' as bigint), 1) as size,
    greatest(epoch(scored_at - finished_at), 1e-3) as seconds
from runs
join judges using (run_id)
join sizes using (run_id)
where finished_at is not null and scored_at >= finished_at and texts > 0
order by started_at, run_id;

-- name: plan_requests
select sum(requests)::double, sum(seconds), count(distinct snapshot_id) from requests;
