select runs.* exclude (process) replace (state as status)
from runs
join run_states using (run_id)
order by started_at, run_id;
