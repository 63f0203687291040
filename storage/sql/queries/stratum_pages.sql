-- Which articles of a snapshot belong to which part of a stratum.
select value, list(page_id order by page_id) as pages
from strata
where snapshot_id = ? and stratum = ?
group by value, place
order by place, value;
