-- Where judgements were given, and the secrets that keep judging blind. Answers that are here already count as given here.
alter table judgements add column origin varchar default '';

create table this_database (
    database_id varchar not null
);

insert into this_database select left(replace(cast(uuid() as varchar), '-', ''), 12);

create table judging_secrets (
    run_a varchar not null,
    run_b varchar not null,
    rubric_sha256 varchar not null,
    secret blob not null
);
