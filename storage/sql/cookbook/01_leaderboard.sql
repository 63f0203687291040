-- How do the runs on the newest snapshot compare, each metric with its standard deviation and 95 % interval?
select *
from leaderboard
where snapshot_id = (select snapshot_id from latest_snapshots where kind = 'new' order by window_end desc limit 1);
