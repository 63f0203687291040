select
    verdict,
    count(*) as pages,
    printf('%.1f %%', 100.0 * count(*) / sum(count(*)) over ()) as share,
    min_by(title || coalesce(': ' || detail, ''), page_id) as example
from candidates
where snapshot_id = ?
group by verdict
order by verdict <> 'selected', pages desc, verdict;
