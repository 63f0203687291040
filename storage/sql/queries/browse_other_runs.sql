-- Runs of no snapshot that is stored: texts that brought their own references.
select run_id, model, decoder, status, heard_at, process, prompts, samples, started_at
from runs
anti join snapshots using (snapshot_id)
order by started_at, run_id;
