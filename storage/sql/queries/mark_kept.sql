-- The longest by words of each prompt are kept; where two are as long, the earlier sample.
update completions
set kept = ranked.place <= ?
from (
    select run_id, page_id, sample,
        row_number() over (partition by run_id, page_id order by words desc, sample) as place
    from completions
    where run_id = ?
) as ranked
where completions.run_id = ranked.run_id
    and completions.page_id = ranked.page_id
    and completions.sample = ranked.sample;
