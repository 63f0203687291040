-- Where foreign runs and scores came from, and how far each of them was verified here.
create table origins (
    run_id varchar not null,
    evaluator_id varchar not null,
    source varchar not null,
    signer varchar not null,
    taken_in_at timestamptz not null
);

create table verifications (
    run_id varchar not null,
    evaluator_id varchar not null,
    level varchar not null,
    confirmed bigint not null,
    checked bigint not null,
    total bigint not null,
    draw varchar,
    checker varchar not null,
    receipt_sha256 varchar not null,
    checked_at timestamptz not null
);
