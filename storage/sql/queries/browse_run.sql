select
    runs.*,
    (select count(distinct page_id) from completions where run_id = runs.run_id) as written,
    (select count(*) from completions where run_id = runs.run_id) as completions,
    (select count(*) from completions where run_id = runs.run_id and kept) as kept,
    (select count(*) from completions where run_id = runs.run_id and truncated) as truncated
from runs
where run_id = ?;
