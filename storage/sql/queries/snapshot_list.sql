select snapshot_id, articles, candidates, cutoff, published_at, content_sha256
from snapshots
order by window_start desc, published_at desc;
