create or replace view funnel as
select snapshot_id, verdict, count(*) as pages
from candidates
group by snapshot_id, verdict;

create or replace view latest_snapshots as
select * from snapshots
qualify row_number() over (partition by wiki, kind order by window_end desc, published_at desc) = 1;

create or replace view staleness as
select wiki, max(published_at) as newest, date_diff('day', max(published_at), now()) as days
from snapshots
where kind = 'new'
group by wiki;

create or replace view holes as
select snapshot_id, page_id, hole.template as template, hole.holes as holes
from (
    select snapshot_id, page_id, unnest(hole_templates) as hole
    from article_structure
) as found;

comment on view funnel is 'One row per snapshot and verdict: the number of candidates with this verdict.';
comment on column funnel.snapshot_id is 'The snapshot.';
comment on column funnel.verdict is 'selected, or the rule that dropped the page.';
comment on column funnel.pages is 'The number of pages.';

comment on view latest_snapshots is 'One row per wiki and kind: the newest snapshot, with the columns of snapshots.';
comment on column latest_snapshots.snapshot_id is 'The id of the snapshot, such as enwiki-2026-10.';
comment on column latest_snapshots.wiki is 'The wiki''s database name, such as enwiki.';
comment on column latest_snapshots.kind is 'new; old for articles that models may have seen; or revisit for the articles of another snapshot at a later cutoff.';
comment on column latest_snapshots.window_start is 'The start of the window: the first moment at which an article of the snapshot can have been created.';
comment on column latest_snapshots.window_end is 'The first moment after the window.';
comment on column latest_snapshots.cutoff is 'The moment as of which the snapshot reads the wiki. Articles have the text that they had then.';
comment on column latest_snapshots.parameters is 'All parameters that decide which articles are selected.';
comment on column latest_snapshots.extractor_version is 'The version of the program that extracts prose from wikitext.';
comment on column latest_snapshots.candidates is 'The number of candidates.';
comment on column latest_snapshots.articles is 'The number of selected articles.';
comment on column latest_snapshots.content_sha256 is 'The hash of the articles, the parameters and the extractor version.';
comment on column latest_snapshots.published_at is 'The time of publication.';
comment on column latest_snapshots.language is 'The language of the articles; NULL for snapshots that were published before this column existed.';
comment on column latest_snapshots.licence is 'The license of the articles, in the wiki''s words; NULL if the source does not state it, such as a dump.';
comment on column latest_snapshots.licence_url is 'The address of the license text; NULL if the source does not state it.';

comment on view staleness is 'One row per wiki: the age of its newest snapshot of new articles.';
comment on column staleness.wiki is 'The wiki''s database name, such as enwiki.';
comment on column staleness.newest is 'The time at which the newest snapshot was published.';
comment on column staleness.days is 'The number of days since the newest snapshot was published.';

comment on view holes is 'One row per article and template in its running text whose text is missing from the prose: the holes of the article.';
comment on column holes.snapshot_id is 'The snapshot.';
comment on column holes.page_id is 'The article.';
comment on column holes.template is 'The template''s name as the article writes it; <math> and other tags whose content cannot be written as text; a parser function such as #if.';
comment on column holes.holes is 'The number of places in the article''s prose from which the template''s text is missing.';
