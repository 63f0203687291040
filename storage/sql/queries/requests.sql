select kind, requests, retries, bytes, round(seconds, 1) as seconds
from requests
where snapshot_id = ?
order by requests desc, kind;
