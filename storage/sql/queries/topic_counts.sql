select topic, pages, share
from topic_counts
where snapshot_id = ?
order by pages desc, topic;
