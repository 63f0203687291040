-- The parts of the stratum $2 in these snapshots, with how many articles each has, and their least and most words.
select snapshot_id, value, any_value(place) as place, count(*) as articles, min(words) as least, max(words) as most
from strata
join stored_articles using (snapshot_id, page_id)
where snapshot_id in (select unnest($1)) and stratum = $2
group by snapshot_id, value
order by snapshot_id desc, place, value;
