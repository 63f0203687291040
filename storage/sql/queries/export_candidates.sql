-- Every page considered, with the permanent link of the revision that was judged, where there is one.
select candidates.*, links.base || rev_id as permalink
from candidates
cross join (
    select any_value(regexp_replace(permalink, '\d+$', '')) as base from articles where snapshot_id = $1
) as links
where snapshot_id = $1
order by page_id;
