select snapshot_id
from snapshots
where wiki = ? and window_start < ?
order by snapshot_id;
