select distinct page_id
from completions
where run_id = ?;
