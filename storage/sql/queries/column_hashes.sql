-- Of each column of a snapshot's rows in {table} a hash of its values in the order of the key, whatever their types.
select
    count(*) as rows,
    sha256(coalesce(
        string_agg(sha256(to_json({'value': columns(* exclude (snapshot_id))})::varchar), ',' order by {key}), ''
    ))
from {table}
where snapshot_id = ?;
