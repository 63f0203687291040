select sum(requests)::double, sum(seconds), count(distinct snapshot_id) from requests;
