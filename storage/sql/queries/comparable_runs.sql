-- What can be compared: every run with how it was asked, and the articles of each snapshot that were scored.
select run_id, model, decoder, snapshot_id, seed, settings
from (
    select runs.run_id, model, decoder, snapshot_id, runs.seed, to_json(asked)::varchar as settings, started_at
    from runs
    join run_settings as asked using (run_id)
    union all
    select run_id, model, 'reference', snapshot_id, null, null, known_at
    from reference_texts
    where run_id in (select run_id from scorings)
)
order by started_at, run_id;
