-- How far scores from other databases were verified.

-- name: levels_of_runs
select run_id, evaluator_id, level, replayed, texts, checkers, draws, recomputed_by, signers
from levels
where run_id in (select unnest($1))
order by run_id, evaluator_id;

-- name: made_here
-- The runs, with an empty evaluator, and the scorings that were made in this database.
select run_id, '' as evaluator_id from runs
union all
select run_id, evaluator_id from scorings
except
select run_id, evaluator_id from origins;

-- name: came_from_elsewhere
select run_id, evaluator_id, source, signer, taken_in_at from origins order by all;

-- name: checked_here
select * from verifications order by run_id, evaluator_id, checker, receipt_sha256;

-- name: forget_origins_of_made
-- Deletes the origins of the rows in the registered table `made`.
delete from origins where (run_id, evaluator_id) in (select (run_id, evaluator_id) from made);

-- name: copied_shares
-- The mean of the metric $1 for each of the runs $2 that have completions, unless the scores are only claimed. The mean is NULL
-- for a run from another database without scores. A local run without scores has no row.
select runs.run_id, max(mean) as share
from runs
left join (
    select run_id, mean
    from scoring_summaries
    join levels using (run_id, evaluator_id)
    where metric = $1 and level <> 'claimed'
) as measured using (run_id)
where runs.run_id in (select unnest($2)) and samples > 0
group by runs.run_id
having share is not null or runs.run_id in (select run_id from origins where evaluator_id = '')
order by runs.run_id;

-- name: claims_of_runs
-- The runs from other databases, with the keys that signed them.
select run_id, list_sort(list(distinct signer) filter (signer <> '')) as signers
from origins
where evaluator_id = ''
group by run_id
order by run_id;

-- name: foreign_texts
-- The runs from other databases whose articles are stored in this database.
select run_id
from runs
where
    samples > 0 and status = 'complete' and run_id in (select run_id from origins where evaluator_id = '')
    and snapshot_id in (select snapshot_id from snapshots)
order by run_id;
