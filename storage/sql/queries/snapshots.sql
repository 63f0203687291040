-- Queries about snapshots.

-- name: snapshot_list
select snapshot_id, articles, candidates, cutoff, published_at, content_sha256
from snapshots
order by window_start desc, published_at desc;

-- name: snapshot_one
select * from snapshots where snapshot_id = ?;

-- name: latest_snapshot
select snapshot_id
from latest_snapshots
where kind = 'new' and wiki = coalesce(?, wiki)
order by window_end desc, published_at desc
limit 1;

-- name: newest_of_each_wiki
select snapshot_id
from latest_snapshots
where kind = 'new'
order by wiki;

-- name: earlier_snapshots
select snapshot_id
from snapshots
where wiki = ? and window_start < ? and kind <> 'revisit' -- whose articles are those of another
order by snapshot_id;

-- name: old_snapshots
-- The snapshots of a wiki's old articles, the newest first.
select snapshot_id from snapshots where wiki = ? and kind = 'old' order by window_end desc, published_at desc;

-- name: snapshot_articles
select page_id, rev_id, title, created_at, revised_at, revisions, words, first_sentence, completion, text_sha256, sha1,
    headings
from stored_articles
where snapshot_id = ?
order by words desc, page_id;

-- name: funnel
select
    verdict,
    count(*) as pages,
    printf('%.1f %%', 100.0 * count(*) / sum(count(*)) over ()) as share,
    min_by(title || coalesce(': ' || detail, ''), page_id) as example
from candidates
where snapshot_id = ?
group by verdict
order by verdict <> 'selected', pages desc, verdict;

-- name: frequent_holes
-- The holes of a snapshot's articles: of all templates, then of the five with the most. No rows if nobody counted them.
(
    select '(all)' as template, sum(holes)::bigint as holes, count(*) filter (holes > 0) as articles
    from article_structure
    where snapshot_id = $1 and holes is not null
    having count(*) > 0
)
union all
(
    select template, sum(holes)::bigint, count(*)
    from holes
    where snapshot_id = $1
    group by template
    order by 2 desc, 1
    limit 5
);

-- name: requests
select kind, requests, retries, bytes, round(seconds, 1) as seconds
from requests
where snapshot_id = ?
order by requests desc, kind;

-- name: topic_counts
select topic, pages, share
from topic_counts
where snapshot_id = ?
order by pages desc, topic;

-- name: permalinks
-- Permanent links from the address of the wiki's main page: `…/wiki/Main_Page` gives `…/wiki/Special:PermanentLink/7`.
update stored_articles
set permalink = regexp_replace(?, '[^/=]*$', '') || 'Special:PermanentLink/' || rev_id
where snapshot_id = ?;

-- name: one_permalink
select min(permalink) from stored_articles where snapshot_id = ?;

-- name: permalink_bases
-- The permanent links without their revision ids; one row if all links belong to one wiki.
select distinct regexp_replace(permalink, 'Special:PermanentLink/' || rev_id || '$', '') as base
from articles
where snapshot_id = ?
order by base;

-- name: staged_requests
select
    kind, sum(requests)::bigint as requests, sum(retries)::bigint as retries, sum(bytes)::bigint as bytes,
    sum(seconds) as seconds
from requests
group by kind
order by kind;


-- name: snapshot_templates
select title, rev_id, wikitext
from snapshot_templates
where snapshot_id = ?
order by title;


-- name: staged_waiting
-- The first pages that wait for templates.
select * exclude wanted
from waiting
where page_id in (select page_id from waiting order by page_id limit ?)
order by page_id;
