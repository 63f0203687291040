-- Whether something was created after the last day (UTC) of what a model can have seen; NULL where that day is not known.
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

comment on view seen_shares is 'How much of what a run was tested on its model can have seen; only runs whose model''s knowledge cutoff is known.';
comment on column seen_shares.run_id is 'The run.';
comment on column seen_shares.snapshot_id is 'Its snapshot.';
comment on column seen_shares.articles is 'How many articles of its snapshot it has written or read; 0 for texts that brought their own references.';
comment on column seen_shares.seen is 'How many of them were created on or before the last day of what its model can have seen (runs.knowledge_cutoff).';
comment on column seen_shares.seen_share is 'Their share; NULL where there are none.';
