select title, verdict
from candidates
where snapshot_id = ? and verdict in ('selected', 'not_sampled')
order by title;
