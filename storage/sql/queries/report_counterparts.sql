-- The snapshots of the same wiki that are of another kind (new or old), the newest first.
select other.snapshot_id, other.kind
from snapshots
join snapshots as other on other.wiki = snapshots.wiki and other.kind <> snapshots.kind
where snapshots.snapshot_id = ?
order by other.published_at desc;
