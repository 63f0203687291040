select * replace (to_json(reasons) as reasons)
from metric_summaries
where run_id = ?
order by metric;
