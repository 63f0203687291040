select page_id, sample
from completions
where run_id = ? and kept
order by page_id, sample;
