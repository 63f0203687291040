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

comment on view funnel is 'What became of the pages that were considered for each snapshot.';
comment on column funnel.snapshot_id is 'The snapshot.';
comment on column funnel.verdict is 'selected, or why not.';
comment on column funnel.pages is 'How many pages.';

comment on view latest_snapshots is 'The newest snapshot of each wiki and kind; columns as in snapshots.';
comment on column latest_snapshots.snapshot_id is 'Its name, such as enwiki-2026-10.';
comment on column latest_snapshots.wiki is 'The wiki''s database name, such as enwiki.';
comment on column latest_snapshots.kind is 'new, old for articles that models may have seen, or revisit for those of another snapshot at a later cutoff.';
comment on column latest_snapshots.window_start is 'The first moment at which its articles were created.';
comment on column latest_snapshots.window_end is 'The first moment after the window.';
comment on column latest_snapshots.cutoff is 'When it was cut: articles are as they stood then.';
comment on column latest_snapshots.parameters is 'All that decides which articles are chosen.';
comment on column latest_snapshots.extractor_version is 'What turned wikitext into prose.';
comment on column latest_snapshots.candidates is 'How many pages were considered.';
comment on column latest_snapshots.articles is 'How many were chosen.';
comment on column latest_snapshots.content_sha256 is 'The hash of articles, parameters and extractor version.';
comment on column latest_snapshots.published_at is 'When it was published.';
comment on column latest_snapshots.language is 'The language of its texts; NULL in old snapshots.';
comment on column latest_snapshots.licence is 'The licence of its texts in the wiki''s words; NULL where it was not told, as by a dump.';
comment on column latest_snapshots.licence_url is 'Where that licence stands; NULL where it was not told.';

comment on view staleness is 'How old the newest snapshot of new articles is, for each wiki.';
comment on column staleness.wiki is 'The wiki.';
comment on column staleness.newest is 'When its newest snapshot was published.';
comment on column staleness.days is 'How many days ago that was.';
