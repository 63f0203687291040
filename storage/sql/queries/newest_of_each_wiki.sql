select snapshot_id
from latest_snapshots
where kind = 'new'
order by wiki;
