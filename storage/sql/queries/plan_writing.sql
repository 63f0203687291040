-- How fast complete runs were written, by machine-second: seconds count once for each worker that they were shared by.
with written as (
    select run_id, count(*) as completions, sum(tokens) as tokens, sum(strlen(text)) as bytes
    from completions
    group by run_id
    having count(tokens) = count(*)
),
timed as (
    select *, greatest(epoch(finished_at - started_at), 1e-3)
        * coalesce(try_cast(versions ->> 'workers' as bigint), 1) as seconds
    from runs
    join written using (run_id)
    where status = 'complete' and finished_at > started_at
)
select
    sum(completions)::bigint, sum(tokens)::double, sum(bytes)::double, sum(seconds), count(*), string_agg(distinct model, ', ')
from timed;
