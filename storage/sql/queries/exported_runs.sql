select runs.* exclude (process) replace (state as status)
from runs
join run_states using (run_id)
where run_id = ?;
