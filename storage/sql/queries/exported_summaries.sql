-- `status` is `ok`, or says on how many of the run's kept texts the mean stands and why not on the others.
select
    metric_summaries.* replace (to_json(reasons) as reasons),
    coverage(scored, unscored, reasons, greatest(coalesce(texts, 0), scored + unscored)) as status
from metric_summaries
left join kept_texts using (run_id)
where run_id = ?
order by metric;
