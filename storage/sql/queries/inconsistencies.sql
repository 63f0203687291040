-- Every way in which a snapshot's rows and its own record disagree, a sentence a row. $1 is the snapshot.
with snapshot as (
    select *,
        (parameters ->> 'min_words')::bigint as min_words,
        (parameters ->> 'min_revisions')::bigint as min_revisions,
        (parameters ->> '$.window[0]')::timestamptz as parameters_start,
        (parameters ->> '$.window[1]')::timestamptz as parameters_end
    from snapshots
    where snapshot_id = $1
),
candidate as (select * from candidates where snapshot_id = $1),
article as (select * from articles where snapshot_id = $1)
select printf('%d candidates are stored, %d were published', count(candidate.page_id), any_value(snapshot.candidates))
from snapshot left join candidate using (snapshot_id)
having count(candidate.page_id) <> any_value(snapshot.candidates)
union all
select printf('page %d is a candidate %d times', page_id, count(*)) from candidate group by page_id having count(*) > 1
union all
select printf('''%s'' is selected, and no article', title)
from candidate anti join article using (page_id)
where verdict = 'selected'
union all
select printf('''%s'' is an article, and not selected as it stands there', title)
from article anti join (select * from candidate where verdict = 'selected') using (
    page_id, rev_id, title, created_at, revisions, words
)
union all
select printf(
    '''%s'' is %s with %s words and %s revisions', title, verdict, coalesce(words::varchar, 'no'), coalesce(revisions::varchar, 'no')
)
from candidate, snapshot
where (verdict in ('selected', 'not_sampled') and not (words >= min_words and revisions >= min_revisions))
    or (verdict = 'few_words' and words >= min_words)
    or (verdict = 'few_revisions' and revisions >= min_revisions)
union all
select printf('''%s'' was not created in the window', candidate.title)
from candidate, snapshot
where not (created_at >= window_start and created_at < window_end)
union all
select printf('''%s'' was revised after the cutoff', article.title) from article, snapshot where revised_at > cutoff
union all
select printf('the permanent link of ''%s'' is not that of revision %d', title, rev_id)
from article
where permalink not like '%_/Special:PermanentLink/' || rev_id and permalink not like '%_=Special:PermanentLink/' || rev_id
union all
select 'the permanent links are of more than one wiki'
from article
having count(distinct regexp_replace(permalink, '\d+$', '')) > 1
union all
select printf('page %d has %d citations, and %d are stored', page_id, citations, (
    select count(*) from article_citations as one where one.snapshot_id = $1 and one.page_id = article_structure.page_id
))
from article_structure
where snapshot_id = $1 and citations <> (
    select count(*) from article_citations as one where one.snapshot_id = $1 and one.page_id = article_structure.page_id
)
union all
select 'its kind is not that of its parameters' from snapshot where kind is distinct from (parameters ->> 'kind')
union all
select 'its window is not that of its parameters'
from snapshot
where window_start is distinct from parameters_start or window_end is distinct from parameters_end;
