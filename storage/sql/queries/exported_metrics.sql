select *
from metrics
where metric in (select metric from metric_summaries where run_id in (select unnest(?)))
order by metric;
