update runs
set status = 'running', versions = json_merge_patch(versions, '{"resumed": "yes"}')
where run_id = ?;
