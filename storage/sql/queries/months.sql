-- The results of `newwiki schedule`.

-- name: complete_months
select month, registered_sha256
from months
where wiki = ? and complete;

-- name: first_month
select month from months where wiki = ? order by month limit 1;
