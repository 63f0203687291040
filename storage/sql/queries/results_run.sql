select columns(runs.*), snapshots.articles, snapshots.content_sha256
from runs
left join snapshots using (snapshot_id)
where run_id = ?;
