-- The references that runs are compared with, as rows of their own: the articles of each snapshot, and the references in
-- files of texts from elsewhere.
create or replace macro is_reference(run_id) as starts_with(run_id, 'reference:');

create or replace view reference_texts as
select 'reference:' || snapshot_id as run_id, snapshot_id, 'Wikipedia' as model, published_at as known_at
from snapshots
union all
select 'reference:' || snapshot_id, snapshot_id, 'references', min(started_at)
from runs
where snapshot_id like 'file:%'
group by snapshot_id;

comment on view reference_texts is 'One row per set of references that runs are compared with: the articles of a snapshot, or the references in a file of texts.';
comment on column reference_texts.run_id is 'reference:SNAPSHOT, the id under which the references are scored.';
comment on column reference_texts.snapshot_id is 'The snapshot; file:… for the references in a file.';
comment on column reference_texts.model is 'Wikipedia for the articles; references for the references in a file.';
comment on column reference_texts.known_at is 'The time at which the snapshot was published, or the first run on the file started.';
