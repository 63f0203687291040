-- Every row that refers to something that is not there. What is there twice is asked by `storage.keys`.
-- Texts from elsewhere that brought their own references (`file:…`) have no snapshot.
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
where snapshot_id not like 'file:%'
union all
select 'completions without a run', count(*)
from completions anti join runs using (run_id)
union all
select 'scores without an evaluator', count(*)
from scores anti join evaluators using (evaluator_id)
union all
select 'scores without a run or snapshot', count(*)
from scores
where run_id not in (select run_id from runs)
    and run_id not in (select run_id from reference_runs)
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
select 'hashes without a snapshot', count(*)
from snapshot_hashes anti join snapshots using (snapshot_id)
union all
select 'months without their snapshot', count(*)
from months anti join snapshots using (snapshot_id)
where snapshot_id is not null;
