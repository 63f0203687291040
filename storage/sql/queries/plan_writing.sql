-- How long each complete run was written, where its times tell: those of a resumed run include the pause.
-- Work on several workers is counted as what one of them did, as they shared the seconds.
with written as (
    select run_id, count(*) as completions, sum(tokens)::double as tokens, sum(strlen(text))::double as bytes
    from completions
    group by run_id
    having count(tokens) = count(*)
)
select
    concat_ws(' ', model_sha256, decoder, dtype) as kind, model, completions, tokens, bytes,
    tokens / coalesce(try_cast(versions ->> 'workers' as bigint), 1) as size,
    greatest(epoch(finished_at - started_at), 1e-3) as seconds
from runs
join written using (run_id)
where status = 'complete' and finished_at > started_at and versions ->> 'resumed' is null
order by started_at, run_id;
