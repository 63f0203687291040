select snapshot_id, wiki, kind, window_start, window_end, cutoff, candidates, articles, content_sha256, published_at
from snapshots
order by window_start desc, published_at desc;
