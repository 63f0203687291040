-- What people say of sentences whose claims a model has checked, and how far that corrects the model's numbers.
create table claim_labels (
    run_id varchar not null,
    page_id bigint not null,
    sample bigint not null,
    start_char bigint not null,
    end_char bigint not null,
    rubric_sha256 varchar not null,
    judge varchar not null,
    label varchar not null,
    labelled_at timestamptz not null
);

create table verifiability_corrections (
    experiment_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    metric varchar not null,
    prompts bigint not null,
    labelled bigint not null,
    uncorrected double,
    corrected double,
    low double,
    high double,
    weight double,
    lacking varchar
);

create table verifiability_checkers (
    experiment_id varchar not null,
    label varchar not null,
    labelled bigint not null,
    by_checker bigint not null,
    by_people double not null,
    precision double,
    precision_low double,
    precision_high double,
    recall double,
    recall_low double,
    recall_high double
);
