-- Every run that has written this article, with the first text that it kept, or its first where none is chosen yet.
select
    run_id, model, decoder, status, heard_at, process,
    count(*) as completions,
    min_by(sample, (kept is distinct from true, sample)) as sample,
    min_by(text, (kept is distinct from true, sample)) as text
from runs
join completions using (run_id)
where snapshot_id = ? and page_id = ?
group by run_id, model, decoder, status, heard_at, process, started_at
order by started_at, run_id;
