-- Prompts about groups of people, and the runs on them.

-- name: prompt_set_ids
select prompt_set_id from prompt_sets order by 1;

-- name: group_prompts
select category, group_name, prompt, context, hidden
from group_prompts
where prompt_set_id = ?
order by rowid;

-- name: prompt_totals
-- For each prompt of a run, the sum of its scores by an evaluator, their number, and the number of texts without a score.
select page_id, coalesce(sum(value), 0), count(value), count(*) - count(value)
from scores
where run_id = ? and metric = ? and evaluator_id = ?
group by page_id
order by page_id;

-- name: run_texts
select page_id, sample, coalesce(prose, text) as text
from completions
where run_id = ? and no_answer is null
order by page_id, sample;

-- name: stored_swaps
select metric, swapped, repetition, "values"
from swapped_scores
where texts_sha256 = ? and list_contains(?, evaluator_id);
