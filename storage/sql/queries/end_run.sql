update runs set status = $1, heard_at = now(), process = null, finished_at = if($1 = 'interrupted', null, now())
where run_id = $2;
