-- Pairs of texts, and what judges said of them.

-- name: pairs_to_judge
-- A text of each of the runs $1 and $2 for every prompt that both have, in an order that is drawn: the first so many are a
-- sample. Which of a prompt's kept texts it is, is drawn too.
with written as (
    select run_id, page_id, sample, text from completions where kept and run_id in ($1, $2)
    union all
    select 'reference:' || snapshot_id, page_id, 0, completion
    from stored_articles
    where 'reference:' || snapshot_id in ($1, $2)
),
drawn as (
    select
        run_id, page_id, arg_min(sample, sha256(concat_ws(' ', run_id, page_id, sample))) as sample,
        arg_min(text, sha256(concat_ws(' ', run_id, page_id, sample))) as text
    from written
    group by run_id, page_id
)
select
    $1 as run_a, $2 as run_b, page_id, title, first_sentence, one.sample as sample_a, other.sample as sample_b,
    one.text as text_a, other.text as text_b
from drawn as one
join drawn as other using (page_id)
join (select page_id, title, first_sentence from stored_articles where snapshot_id = $3) using (page_id)
where one.run_id = $1 and other.run_id = $2
order by sha256(concat_ws(' ', $1, $2, page_id));

-- name: judgements_of
-- Every answer on pairs of these two runs, in the order in which they were given.
select * from judgements where run_a = ? and run_b = ?
order by judged_at, page_id, judge, criterion, first;

-- name: judging_models
-- The names of models by the id that they judge under.
select evaluator_id, model from evaluators where evaluator_id in (select judge from judgements where judge_kind = 'model');

-- name: answers_of_judge
-- What one judge has answered on two runs by one rubric.
select page_id, sample_a, sample_b, criterion, first, answer
from judgements
where run_a = ? and run_b = ? and judge = ? and judge_kind = ? and rubric_sha256 = ?;

-- name: judged_parts
-- Who said something of which two runs, by which rubric.
select distinct run_a, run_b, judge, judge_kind, rubric_sha256 from judgements order by all;
