create or replace view funnel as
select snapshot_id, verdict, count(*) as pages
from candidates
group by snapshot_id, verdict;

create or replace view latest_snapshots as
select * from snapshots
qualify row_number() over (partition by wiki, kind order by window_end desc, published_at desc) = 1;

create or replace view staleness as
select wiki, max(published_at) as newest, date_diff('day', max(published_at), now()) as days
from snapshots
where kind = 'new'
group by wiki;
