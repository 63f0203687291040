-- Which numbers could not be had, and why?
select model, decoder, metric, reason.key as reason, reason.value as texts, scored, run_id
from (
    select *, unnest(map_entries(reasons)) as reason
    from metric_summaries
)
left join runs using (run_id)
order by texts desc, run_id, metric, reason;
