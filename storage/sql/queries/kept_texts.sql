select page_id, sample, text
from completions
where run_id = ? and kept and page_id between ? and ?
order by page_id, sample;
