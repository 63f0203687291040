-- What a refresh asked the wiki for, over all its attempts: `retries` of the requests were repetitions, `bytes` are those
-- that came (compressed, without headers), `seconds` those until the answers were there, waits included.
create table requests (
    snapshot_id varchar not null,
    kind varchar not null,
    requests bigint not null,
    retries bigint not null,
    bytes bigint not null,
    seconds double not null
);
