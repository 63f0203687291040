-- The runs of a snapshot, however far they are.
select
    run_id, model, decoder, any_value(status) as status, any_value(heard_at) as heard_at,
    any_value(process) as process, any_value(runs.prompts) as prompts,
    count(distinct completions.page_id) as written, count(completions.page_id) as completions
from runs
left join completions using (run_id)
where snapshot_id = ?
group by run_id, model, decoder, started_at
order by started_at, run_id;
