-- Checks for inconsistent rows.

-- name: integrity
-- The numbers of rows that refer to missing rows, or have impossible values. `storage.keys` looks for duplicates. Texts with
-- references of their own (`file:…`) have no snapshot, and runs on prompts have a prompt set instead.
with reference_runs as (
    select 'reference:' || snapshot_id as run_id from snapshots
    union all
    select 'reference:' || snapshot_id from runs where snapshot_id like 'file:%'
)
select 'candidates without a snapshot' as problem, count(*) as rows
from candidates anti join snapshots using (snapshot_id)
union all
select 'articles without a snapshot', count(*)
from stored_articles anti join snapshots using (snapshot_id)
union all
select 'requests without a snapshot', count(*)
from requests anti join snapshots using (snapshot_id)
union all
select 'runs without a snapshot', count(*)
from runs anti join snapshots using (snapshot_id)
where snapshot_id not like 'file:%' and not is_prompt_set(snapshot_id)
union all
select 'runs without a prompt set', count(*)
from runs
where is_prompt_set(snapshot_id) and snapshot_id not in (select prompt_set_id from prompt_sets)
union all
select 'prompts without a prompt set', count(*)
from group_prompts anti join prompt_sets using (prompt_set_id)
union all
select 'prompt sets that lack prompts', count(*)
from prompt_sets
where prompts <> (select count(*) from group_prompts where group_prompts.prompt_set_id = prompt_sets.prompt_set_id)
union all
select 'noun phrases without a response', count(*)
from response_phrases anti join completions using (run_id, page_id, sample)
union all
select 'noun phrases without an evaluator', count(*)
from response_phrases anti join evaluators using (evaluator_id)
union all
select 'completions without a run', count(*)
from completions anti join runs using (run_id)
union all
select 'completions with more or fewer tokens or words than there can be', count(*)
from completions join runs using (run_id)
where tokens < 0
    -- a server has one limit for the thinking and the answer
    or tokens > max_new_tokens
        + if(backend = 'openai' and versions ->> 'thinking' = 'on', (versions ->> 'max_thinking_tokens')::bigint, 0)
    or words not between 0 and (length(coalesce(prose, text)) + 1) // 2
union all
select 'hidden runs that are not stored', count(*)
from hidden_runs anti join runs using (run_id)
union all
select 'former names of runs that are not stored', count(*)
from renamed_runs anti join runs using (run_id)
union all
select 'anchor scores without an article', count(*)
from anchor_scores anti join stored_articles using (snapshot_id, page_id)
union all
select 'anchor scores without an evaluator', count(*)
from anchor_scores anti join evaluators using (evaluator_id)
union all
select 'early stops without a run', count(*)
from early_stops anti join runs using (run_id)
union all
select 'ladder scores without an article', count(*)
from ladder_scores anti join stored_articles using (snapshot_id, page_id)
union all
select 'ladder scores without an evaluator', count(*)
from ladder_scores anti join evaluators using (evaluator_id)
union all
select 'completions without an answer that have a text or are kept', count(*)
from completions
where no_answer is not null and (text <> '' or kept)
union all
select 'scores outside the range of their metric', count(*)
from scores join metrics using (metric)
where value < minimum - 1e-6 * greatest(1, abs(minimum)) or value > maximum + 1e-6 * greatest(1, abs(maximum))
union all
select 'scores without an evaluator', count(*)
from scores anti join evaluators using (evaluator_id)
union all
select 'scores without a run or snapshot', count(*)
from scores
where run_id not in (select run_id from runs)
    and run_id not in (select run_id from reference_runs)
union all
select 'claims of a text that their evaluator has not scored', count(*)
from claims anti join scores using (run_id, page_id, sample, evaluator_id)
union all
select 'finished scorings without an evaluator', count(*)
from scorings anti join evaluators using (evaluator_id)
union all
select 'finished scorings without a run or snapshot', count(*)
from scorings
where run_id not in (select run_id from runs)
    and run_id not in (select run_id from reference_runs)
union all
select 'run scores without a run or snapshot', count(*)
from run_scores
where run_id not in (select run_id from runs)
    and run_id not in (select run_id from reference_runs)
union all
select 'run scores without an evaluator', count(*)
from run_scores anti join evaluators using (evaluator_id)
union all
select 'judgements without a run or snapshot', count(*)
from (select unnest([run_a, run_b]) as run_id from judgements)
where run_id not in (select run_id from runs)
    and run_id not in (select run_id from reference_runs)
union all
select 'judgements without a rubric', count(*)
from judgements anti join rubrics using (rubric_sha256)
union all
select 'judgements of a model without an evaluator', count(*)
from judgements
where judge_kind = 'model' and judge not in (select evaluator_id from evaluators)
union all
select 'topics without an article', count(*)
from topics anti join stored_articles using (snapshot_id, page_id)
union all
select 'novelty without an article', count(*)
from novelty anti join stored_articles using (snapshot_id, page_id)
union all
select 'structure without an article', count(*)
from article_structure anti join stored_articles using (snapshot_id, page_id)
union all
select 'facts without a structure', count(*)
from article_facts anti join article_structure using (snapshot_id, page_id)
union all
select 'citations without a structure', count(*)
from article_citations anti join article_structure using (snapshot_id, page_id)
union all
select 'tags without a structure', count(*)
from article_tags anti join article_structure using (snapshot_id, page_id)
union all
select 'deletions without a candidate', count(*)
from deletions anti join candidates using (snapshot_id, page_id)
union all
select 'hashes without a snapshot', count(*)
from snapshot_hashes anti join snapshots using (snapshot_id)
union all
select 'edition scores without an edition, a run or an evaluator', count(*)
from edition_scores
where edition not in (select snapshot_id from snapshots)
    or run_id not in (select run_id from runs)
    or evaluator_id not in (select evaluator_id from evaluators)
union all
select 'finished edition scorings without an edition, a run or an evaluator', count(*)
from edition_scorings
where edition not in (select snapshot_id from snapshots)
    or run_id not in (select run_id from runs)
    or evaluator_id not in (select evaluator_id from evaluators)
union all
select 'texts that were judged without an edition, a run or an evaluator', count(*)
from came_true_texts
where edition not in (select snapshot_id from snapshots)
    or run_id not in (select run_id from runs)
    or evaluator_id not in (select evaluator_id from evaluators)
union all
select 'things that came true without their text', count(*)
from came_true anti join came_true_texts using (edition, run_id, page_id, sample, evaluator_id, kind)
union all
select 'months without their snapshot', count(*)
from months anti join snapshots using (snapshot_id)
where snapshot_id is not null;

-- name: inconsistencies
-- Every contradiction between a snapshot's rows and its record, one sentence per row. $1 is the snapshot.
with snapshot as (
    select *,
        (parameters ->> 'min_words')::bigint as min_words,
        (parameters ->> 'min_revisions')::bigint as min_revisions,
        (parameters ->> 'max_holes')::bigint as max_holes,
        (parameters ->> '$.window[0]')::timestamptz as parameters_start,
        (parameters ->> '$.window[1]')::timestamptz as parameters_end
    from snapshots
    where snapshot_id = $1
),
candidate as (select * from candidates where snapshot_id = $1),
article as (select * from articles where snapshot_id = $1)
select printf('%d candidates are stored, %d were published', count(candidate.page_id), any_value(snapshot.candidates))
from snapshot left join candidate using (snapshot_id)
having count(candidate.page_id) <> any_value(snapshot.candidates)
union all
select printf('page %d is a candidate %d times', page_id, count(*)) from candidate group by page_id having count(*) > 1
union all
select printf('''%s'' is selected, and no article', title)
from candidate anti join article using (page_id)
where verdict = 'selected'
union all
select printf('''%s'' is an article, and not selected as it stands there', title)
from article anti join (select * from candidate where verdict = 'selected') using (
    page_id, rev_id, title, created_at, revisions, words
)
union all
select printf(
    '''%s'' is %s with %s words and %s revisions', title, verdict, coalesce(words::varchar, 'no'), coalesce(revisions::varchar, 'no')
)
from candidate, snapshot
where (verdict in ('selected', 'not_sampled') and not (words >= min_words and revisions >= min_revisions))
    or (verdict = 'few_words' and words >= min_words)
    or (verdict = 'few_revisions' and revisions >= min_revisions)
union all
select printf('page %d has %d holes, and at most %d are allowed', page_id, holes, max_holes)
from article_structure join snapshot using (snapshot_id)
where holes > max_holes
union all
select printf('page %d has %d holes, and the sum by template differs', page_id, holes)
from article_structure
where snapshot_id = $1 and holes is distinct from list_sum(list_transform(hole_templates, lambda hole: hole.holes))
    and not (holes = 0 and hole_templates = [])
union all
select printf('''%s'' was not created in the window', candidate.title)
from candidate, snapshot
where not (created_at >= window_start and created_at < window_end)
union all
select printf('''%s'' was revised after the cutoff', article.title) from article, snapshot where revised_at > cutoff
union all
select printf('the permanent link of ''%s'' is not that of revision %d', title, rev_id)
from article
where permalink not like '%_/Special:PermanentLink/' || rev_id and permalink not like '%_=Special:PermanentLink/' || rev_id
union all
select 'the permanent links are of more than one wiki'
from article
having count(distinct regexp_replace(permalink, '\d+$', '')) > 1
union all
select printf('page %d has %d citations, and %d are stored', page_id, citations, (
    select count(*) from article_citations as one where one.snapshot_id = $1 and one.page_id = article_structure.page_id
))
from article_structure
where snapshot_id = $1 and citations <> (
    select count(*) from article_citations as one where one.snapshot_id = $1 and one.page_id = article_structure.page_id
)
union all
select printf('page %d has %d maintenance templates, and %d are stored', page_id, tags, (
    select count(*) from article_tags as one where one.snapshot_id = $1 and one.page_id = article_structure.page_id
))
from article_structure
where snapshot_id = $1 and tags <> (
    select count(*) from article_tags as one where one.snapshot_id = $1 and one.page_id = article_structure.page_id
)
union all
select 'its kind is not that of its parameters' from snapshot where kind is distinct from (parameters ->> 'kind')
union all
select 'its window is not that of its parameters'
from snapshot
where window_start is distinct from parameters_start or window_end is distinct from parameters_end;

-- name: runs_of_several_models
-- Every run whose texts several models have served, with the names of the models and their numbers of texts. A name is what
-- stands before the fingerprint in what a server says about itself.
with served as (
    select run_id, split_part(served_by, ' ', 1) as name, count(*) as texts
    from completions
    where served_by <> ''
    group by all
)
select run_id, string_agg(printf('%s (%d)', name, texts), ', ' order by texts desc, name)
from served
group by run_id
having count(*) > 1
order by run_id;

-- name: doubtful_cutoffs
-- Every impossible knowledge cutoff, one sentence per row. Knowledge cutoffs are stated by month, so a cutoff may be later
-- in the month in which its run started.
select printf('run %s was begun on %s, and its model''s knowledge cutoff is %s', run_id, started_at::date, knowledge_cutoff)
from runs
where knowledge_cutoff > last_day((started_at at time zone 'UTC')::date)
union all
select printf(
    'run %s has the knowledge cutoff %s from %s', run_id, coalesce(knowledge_cutoff::varchar, 'NULL'),
    coalesce(knowledge_cutoff_from, 'nobody')
)
from runs
where (knowledge_cutoff is null) <> (knowledge_cutoff_from is null)
    or knowledge_cutoff_from not in ('asked', 'newwiki.toml', 'training', 'model card')
union all
select printf('runs of %s with the same weights have different knowledge cutoffs: %s', any_value(model), string_agg(
    distinct knowledge_cutoff::varchar, ', ' order by knowledge_cutoff::varchar
))
from runs
where knowledge_cutoff is not null and model_sha256 <> 'unknown'
group by model_sha256
having count(distinct knowledge_cutoff) > 1
union all
select printf(
    'the model of run %s was trained on %d of its articles, and by its knowledge cutoff it can have seen %d',
    run_id, (versions ->> 'trained_articles')::bigint, seen
)
from runs
join seen_shares using (run_id)
where (versions ->> 'trained_articles')::bigint > seen and status = 'complete';

-- name: passed
select title, verdict
from candidates
where snapshot_id = ? and verdict in ('selected', 'not_sampled')
order by title;

-- name: column_hashes
-- A hash of each column of a snapshot's rows in {table}: of the values in the order of the key, whatever their types.
select
    count(*) as rows,
    sha256(coalesce(
        string_agg(sha256(to_json({'value': columns(* exclude (snapshot_id))})::varchar), ',' order by {key}), ''
    ))
from {table}
where snapshot_id = ?;

-- name: summarised_runs
-- Every run that has scores or stored summaries of scores.
select run_id from scores
union
select run_id from scorings
union
select run_id from page_means
union
select run_id from page_gaps
union
select run_id from stored_summaries
order by run_id;

-- name: take_page_means_of_runs
create or replace temp table taken_page_means as
select *, '' as snapshot_id, '' as stratum, '' as part, 1 as place
from page_means
where run_id in (select unnest($1));

-- name: take_page_gaps_of_runs
create or replace temp table taken_page_gaps as
select *, '' as snapshot_id, '' as stratum, '' as part, 1 as place
from page_gaps
where run_id in (select unnest($1));

-- name: stale_summaries
-- The finished scorings of the runs $1 whose stored summaries contradict their scores, one sentence per run. The temporary
-- tables have the rows of these runs. Sums are taken in any order, so compared values may differ in their last bits.
with counted_means as (
    select
        run_id, metric, evaluator_id, page_id, avg(value) as mean, count(value) as texts,
        var_pop(value) * count(value) as squares
    from scores
    where run_id in (select unnest($1)) and value is not null
    group by run_id, metric, evaluator_id, page_id
),
counted_gaps as (
    select run_id, metric, evaluator_id, page_id, status as reason, count(*) as texts
    from scores
    where run_id in (select unnest($1)) and value is null
    group by run_id, metric, evaluator_id, page_id, status
),
finished_means as (
    select counted_means.* from counted_means semi join scorings using (run_id, evaluator_id)
),
finished_gaps as (
    select counted_gaps.* from counted_gaps semi join scorings using (run_id, evaluator_id)
),
stored_here as (
    select * from stored_summaries where run_id in (select unnest($1))
),
differing as (
    select run_id, metric
    from taken_page_means as stored
    full join finished_means as anew using (run_id, metric, evaluator_id, page_id)
    where stored.texts is distinct from anew.texts
        or apart(stored.mean, anew.mean, 1e-9)
        or apart(stored.squares, anew.squares, 1e-6)
    union
    select run_id, metric
    from taken_page_gaps as stored
    full join finished_gaps as anew using (run_id, metric, evaluator_id, page_id, reason)
    where stored.texts is distinct from anew.texts
    union
    select run_id, metric
    from stored_here as stored
    full join summaries_of('taken_page_means', 'taken_page_gaps') as anew using (run_id, metric, evaluator_id)
    where (stored.scored, stored.unscored, stored.pages, stored.reasons)
            is distinct from (anew.scored, anew.unscored, anew.pages, anew.reasons)
        or apart(stored.mean, anew.mean, 1e-9)
        or apart(stored.sd, anew.sd, 1e-6)
        or apart(stored.standard_error, anew.standard_error, 1e-6)
        or apart(stored.freedom, anew.freedom, 1e-6)
        or apart(stored.skew, anew.skew, 1e-6)
    union
    select run_id, metric from stored_here group by run_id, metric, evaluator_id having count(*) > 1
)
select printf('the summaries of run %s are not what its scores amount to: %s', run_id, string_agg(metric, ', ' order by metric))
from differing
group by run_id
order by run_id;

-- name: stale_columns
-- Every metric whose column shows the scores of the wrong evaluator, one sentence per row.
select printf(
    'the column of %s is of %s, and not of %s', metric, coalesce(stored.evaluator_id, 'nobody'), coalesce(anew.evaluator_id, 'nobody')
)
from stored_column_evaluators as stored
full join column_evaluators_anew as anew using (metric)
where stored.evaluator_id is distinct from anew.evaluator_id
order by metric;

-- name: stale_readings
-- Every run with another likelihood run than it should have, one sentence per row.
select printf(
    'run %s has the likelihood run %s, and not %s', run_id, coalesce(stored.reading_run_id, 'none'), coalesce(anew.reading_run_id, 'none')
)
from readings as stored
full join readings_anew as anew using (run_id)
where stored.reading_run_id is distinct from anew.reading_run_id
order by run_id;

-- name: miscounted_texts
-- Every run whose numbers of texts differ from the stored numbers, one sentence per row.
with counted as (
    select
        run_id,
        count(distinct page_id) filter (kept) as pages,
        count(*) filter (kept) as texts,
        count(*) filter (kept and truncated) as truncated,
        count(no_answer) as unanswered
    from completions
    where kept is not null
    group by run_id
),
numbers as (
    select
        run_id,
        (coalesce(texts, 0), coalesce(pages, 0), coalesce(truncated, 0), coalesce(unanswered, 0)) as found,
        (
            coalesce(kept_texts, 0), coalesce(kept_prompts, 0), coalesce(truncated_texts, 0), coalesce(no_answers, 0)
        ) as stored
    from runs
    left join counted using (run_id)
)
select printf(
    'run %s has %d kept texts of %d prompts, %d of them truncated, and %d completions without an answer, and says otherwise',
    run_id, found[1], found[2], found[3], found[4]
)
from numbers
where stored <> found
order by run_id;
