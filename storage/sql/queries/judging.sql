-- Pairs of texts, and the answers of judges.

-- name: pairs_to_judge
-- One text of each of the runs $1 and $2 for every prompt that both have, in pseudo-random order, so that the first rows
-- are a random sample. The text is drawn from the prompt's kept texts.
with written as (
    select run_id, page_id, sample, coalesce(prose, text) as text from completions where kept and run_id in ($1, $2)
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
order by judged_at, page_id, judge, criterion, first, origin;

-- name: judging_models
-- The names of judging models, by their evaluator_id.
select evaluator_id, model from evaluators where evaluator_id in (select judge from judgements where judge_kind = 'model');

-- name: answers_of_judge
-- The answers that one judge gave in this database on two runs by one rubric.
select page_id, sample_a, sample_b, criterion, first, answer
from judgements
where run_a = ? and run_b = ? and judge = ? and judge_kind = ? and rubric_sha256 = ? and origin = '';

-- name: forget_answers
-- Deletes the answers that incoming answers replace. A person has one answer to a question, whatever the order of the texts.
delete from judgements
using incoming
where judgements.run_a = incoming.run_a
    and judgements.run_b = incoming.run_b
    and judgements.page_id = incoming.page_id
    and judgements.sample_a = incoming.sample_a
    and judgements.sample_b = incoming.sample_b
    and judgements.judge = incoming.judge
    and judgements.judge_kind = incoming.judge_kind
    and judgements.rubric_sha256 = incoming.rubric_sha256
    and judgements.criterion = incoming.criterion
    and judgements.origin = incoming.origin
    and (judgements.first = incoming.first or incoming.judge_kind = 'person');

-- name: judged_parts
-- The judges of each pair of runs, by rubric and database.
select distinct run_a, run_b, judge, judge_kind, rubric_sha256, origin from judgements order by all;

-- name: rubric_criteria
select criteria from rubrics where rubric_sha256 = ?;

-- name: has_evaluator
select 1 from evaluators where evaluator_id = ?;

-- name: database_id
select database_id from this_database;

-- name: judging_secret
select secret from judging_secrets where run_a = ? and run_b = ? and rubric_sha256 = ?;

-- name: keep_judging_secret
-- Stores a secret unless there is one.
insert into judging_secrets
select $1, $2, $3, $4
where not exists (from judging_secrets where run_a = $1 and run_b = $2 and rubric_sha256 = $3);

-- name: texts_of_pairs
-- The texts of two runs that can be in a pair, by run, article and sample.
select run_id, page_id, sample from completions where kept and run_id in ($1, $2)
union all
select 'reference:' || snapshot_id, page_id, 0
from stored_articles
where 'reference:' || snapshot_id in ($1, $2);

-- name: sentences_to_label
-- The first $2 sentences of the kept texts of the runs $1 whose claims any evaluator has checked, each once.
select run_id, page_id, sample, sentence, start_char, end_char, text, title, first_sentence, article
from (
    select distinct run_id, page_id, sample, sentence, start_char, end_char
    from claims
    where run_id in (select unnest($1)) and sentence < $2
)
join (select run_id, page_id, sample, coalesce(prose, text) as text from completions where kept) using (run_id, page_id, sample)
join (select run_id, snapshot_id from runs) using (run_id)
join (
    select snapshot_id, page_id, title, first_sentence, completion as article from stored_articles
) using (snapshot_id, page_id)
order by run_id, page_id, sample, sentence, start_char;

-- name: claim_labels_of
-- The labels that people gave to sentences of the runs $1 by the rubric $2.
select run_id, page_id, sample, start_char, end_char, judge, label, labelled_at
from claim_labels
where run_id in (select unnest($1)) and rubric_sha256 = $2
order by run_id, page_id, sample, start_char, end_char, judge;

-- name: forget_claim_labels
-- Deletes the labels that incoming labels replace. A person has one label for a sentence.
delete from claim_labels
using incoming
where claim_labels.run_id = incoming.run_id
    and claim_labels.page_id = incoming.page_id
    and claim_labels.sample = incoming.sample
    and claim_labels.start_char = incoming.start_char
    and claim_labels.end_char = incoming.end_char
    and claim_labels.rubric_sha256 = incoming.rubric_sha256
    and claim_labels.judge = incoming.judge;
