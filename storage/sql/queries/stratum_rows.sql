-- How many prompts and texts each of the runs $1 has in each part of the stratum $2: those kept, of articles those scored.
with texts as (
    select run_id, snapshot_id, page_id, sample
    from completions
    join runs using (run_id)
    where kept and run_id in (select unnest($1))
    union
    select run_id, snapshot_id, page_id, sample
    from scores
    join reference_texts using (run_id)
    where run_id in (select unnest($1))
)
select run_id, value, any_value(place) as place, count(distinct page_id) as prompts, count(*) as completions
from texts
join strata using (snapshot_id, page_id)
where stratum = $2
group by run_id, value
order by place, value;
