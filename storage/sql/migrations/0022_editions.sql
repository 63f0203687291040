-- Articles of a snapshot at a later cutoff (its editions are snapshots of the kind `revisit`): what the texts of runs on the
-- first edition are worth beside a later one, and what they said that only the later one says.
create table edition_scores (
    edition varchar not null,
    run_id varchar not null,
    page_id bigint not null,
    sample bigint not null,
    metric varchar not null,
    value double,
    status varchar not null,
    evaluator_id varchar not null
);

create table edition_scorings (
    edition varchar not null,
    run_id varchar not null,
    evaluator_id varchar not null,
    finished_at timestamptz not null
);

create table came_true (
    edition varchar not null,
    run_id varchar not null,
    page_id bigint not null,
    sample bigint not null,
    evaluator_id varchar not null,
    kind varchar not null,
    text varchar not null
);

create table came_true_texts (
    edition varchar not null,
    run_id varchar not null,
    page_id bigint not null,
    sample bigint not null,
    evaluator_id varchar not null,
    kind varchar not null,
    additions bigint,
    came_true bigint,
    chance double,
    status varchar not null
);
