-- Five minutes are what storage/liveness.py waits for a process that it cannot ask.
create or replace view run_states as
select
    run_id,
    if(status = 'running' and coalesce(heard_at < now() - interval 5 minutes, true), 'interrupted', status) as state,
    heard_at
from runs;

comment on view run_states is 'How far each run is, as far as the database alone can tell.';
comment on column run_states.run_id is 'The run.';
comment on column run_states.state is 'running, complete, failed, or interrupted: its process has not been heard of for five minutes, or said so itself.';
comment on column run_states.heard_at is 'When the process that writes it was last heard of.';
