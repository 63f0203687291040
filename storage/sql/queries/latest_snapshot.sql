select snapshot_id
from latest_snapshots
where kind = 'new' and wiki = coalesce(?, wiki)
order by window_end desc, published_at desc
limit 1;
