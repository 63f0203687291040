-- How far numbers from elsewhere were verified.

-- name: levels_of_runs
select run_id, evaluator_id, level, replayed, texts, checkers, draws, recomputed_by, signers
from levels
where run_id in (select unnest($1))
order by run_id, evaluator_id;

-- name: made_here
-- The runs, with an empty evaluator, and the scorings that came from nowhere else.
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
-- Of what the registered table `made` names.
delete from origins where (run_id, evaluator_id) in (select (run_id, evaluator_id) from made);

-- name: copied_shares
-- By run the mean of the metric $1 as far as it was computed here, of those of the runs $2 that wrote texts; NULL of a run that
-- came from elsewhere and has none. Of our own runs that have none there is no row.
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
-- The runs that came from elsewhere, with the keys that signed them.
select run_id, list_sort(list(distinct signer) filter (signer <> '')) as signers
from origins
where evaluator_id = ''
group by run_id
order by run_id;

-- name: foreign_texts
-- The runs with texts that came from elsewhere, on articles that are here.
select run_id
from runs
where
    samples > 0 and status = 'complete' and run_id in (select run_id from origins where evaluator_id = '')
    and snapshot_id in (select snapshot_id from snapshots)
order by run_id;
