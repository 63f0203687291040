-- A hash of each column of each table that belongs to a snapshot: `newwiki snapshots verify` sees every change. Those of
-- snapshots that were published before are taken when the migrations are through.
create table snapshot_hashes (
    snapshot_id varchar not null,
    table_name varchar not null,
    column_name varchar not null,
    rows bigint not null,
    taken varchar not null,
    taken_at timestamptz not null,
    sha256 varchar not null
);

-- Processes that worked at once have stored some rows twice.
delete from reference_parts
where rowid not in (select min(rowid) from reference_parts group by snapshot_id, page_id, part, made_by);

delete from months where rowid not in (select min(rowid) from months group by notice_key);

-- Whether the process that writes a run is alive: when it was last heard of, and which it is.
alter table runs add column heard_at timestamptz;
alter table runs add column process varchar;
update runs set heard_at = coalesce(finished_at, started_at);
