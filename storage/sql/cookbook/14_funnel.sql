-- What became of every page that was considered for the newest snapshot?
select verdict, pages, pages / sum(pages) over () as share
from funnel
where snapshot_id = (select snapshot_id from latest_snapshots where kind = 'new' order by window_end desc limit 1)
order by pages desc, verdict;
