select page_id, sample, text
from completions
where run_id = ? and kept
order by page_id, sample;
