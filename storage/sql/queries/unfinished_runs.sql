-- Begun, and not ended as far as the database knows; or ended by an interruption.
select run_id, status, heard_at, process
from runs
where status in ('running', 'interrupted')
order by started_at, run_id;
