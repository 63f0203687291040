select kind, sum(requests)::bigint, sum(retries)::bigint, sum(bytes)::bigint, sum(seconds)
from requests
group by kind
order by kind;
