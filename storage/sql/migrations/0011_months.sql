-- What the schedule has done, and told of. A month that is `complete` for what is registered is not looked at again.
create table months (
    notice_key varchar not null,
    wiki varchar not null,
    month varchar not null,
    registered_sha256 varchar not null,
    snapshot_id varchar,
    complete boolean not null,
    recorded_at timestamptz not null,
    notified_at timestamptz
);
