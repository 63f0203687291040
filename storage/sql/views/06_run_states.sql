-- storage/liveness.py also waits five minutes for a process that it cannot check directly.
create or replace view run_states as
select
    run_id,
    if(status = 'running' and coalesce(heard_at < now() - interval 5 minutes, true), 'interrupted', status) as state,
    heard_at,
    if(
        status = 'stopped', printf('%d of %d prompts, %s', early_stops.prompts, runs.prompts, reason), null
    ) as stopped
from runs
left join early_stops using (run_id);

comment on view run_states is 'One row per run: its state, as far as the database alone shows it.';
comment on column run_states.run_id is 'The run.';
comment on column run_states.state is 'running, complete, failed, interrupted or stopped. A run is interrupted if its process reported that, or has sent no heartbeat for five minutes. A run is stopped if a verdict needed no more of its prompts.';
comment on column run_states.heard_at is 'The time of the last heartbeat of the process that writes the run.';
comment on column run_states.stopped is 'How many of its prompts a stopped run has, and why; NULL for other runs.';
