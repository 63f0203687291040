from runs order by started_at, run_id;
