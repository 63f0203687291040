select snapshot_id
from snapshots
where wiki = coalesce(?, wiki)
order by window_end desc, published_at desc
limit 1;
