select sample, metric, value, status
from current_scores
where run_id = ? and page_id = ?
order by metric, sample;
