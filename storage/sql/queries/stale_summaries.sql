-- Every finished scoring whose stored summary is not what its scores amount to, a sentence for each run.
with differing as (
    select run_id, metric
    from page_means as stored
    full join page_means_anew as anew using (run_id, metric, evaluator_id, page_id)
    where stored.texts is distinct from anew.texts
        or (stored.mean is distinct from anew.mean
            and not coalesce(abs(stored.mean - anew.mean) <= 1e-9 * greatest(abs(anew.mean), 1), false))
    union
    select run_id, metric
    from stored_summaries as stored
    full join summaries_anew as anew using (run_id, metric, evaluator_id)
    where (stored.scored, stored.unscored, stored.pages, stored.reasons)
            is distinct from (anew.scored, anew.unscored, anew.pages, anew.reasons)
        or (stored.mean is distinct from anew.mean
            and not coalesce(abs(stored.mean - anew.mean) <= 1e-9 * greatest(abs(anew.mean), 1), false))
        or (stored.sd is distinct from anew.sd
            and not coalesce(abs(stored.sd - anew.sd) <= 1e-6 * greatest(abs(anew.sd), 1), false))
        or (stored.standard_error is distinct from anew.standard_error
            and not coalesce(abs(stored.standard_error - anew.standard_error) <= 1e-6 * greatest(abs(anew.standard_error), 1), false))
        or (stored.freedom is distinct from anew.freedom
            and not coalesce(abs(stored.freedom - anew.freedom) <= 1e-6 * greatest(abs(anew.freedom), 1), false))
        or (stored.skew is distinct from anew.skew
            and not coalesce(abs(stored.skew - anew.skew) <= 1e-6 * greatest(abs(anew.skew), 1), false))
    union
    select run_id, metric from page_means group by run_id, metric, evaluator_id, page_id having count(*) > 1
    union
    select run_id, metric from stored_summaries group by run_id, metric, evaluator_id having count(*) > 1
)
select printf('the summaries of run %s are not what its scores amount to: %s', run_id, string_agg(metric, ', ' order by metric))
from differing
group by run_id
order by run_id;
