-- Whether something was created after the day (UTC) of a model's knowledge cutoff; NULL if that day is not known.
create or replace macro created_after(created_at, day) as (created_at at time zone 'UTC')::DATE > day;

create or replace view seen_shares as
with written as (
    select distinct run_id, snapshot_id, page_id
    from completions
    join runs using (run_id)
    where knowledge_cutoff is not null
    union all
    select distinct run_id, snapshot_id, page_id
    from scores
    join runs using (run_id)
    where knowledge_cutoff is not null and samples = 0
)
select
    run_id,
    snapshot_id,
    count(created_at) as articles,
    count_if(not created_after(created_at, knowledge_cutoff))::bigint as seen,
    seen / nullif(articles, 0) as seen_share
from runs
join written using (run_id, snapshot_id)
left join stored_articles using (snapshot_id, page_id)
group by run_id, snapshot_id;

comment on view seen_shares is 'One row per run whose model has a known knowledge cutoff: how many of the run''s articles the model can have seen.';
comment on column seen_shares.run_id is 'The run.';
comment on column seen_shares.snapshot_id is 'The snapshot.';
comment on column seen_shares.articles is 'The number of articles of the snapshot that the run has completed or read; 0 for texts with references of their own.';
comment on column seen_shares.seen is 'The number of the run''s articles that were created on or before the model''s knowledge cutoff (runs.knowledge_cutoff).';
comment on column seen_shares.seen_share is 'The share of the run''s articles, from 0 to 1, that were created on or before the model''s knowledge cutoff; NULL if the run has no articles.';
