-- Which of two runs' texts judges prefer, people and models: a row an answer, and what they were asked.
create table rubrics (
    rubric_sha256 varchar not null,
    criteria json not null
);

create table judgements (
    run_a varchar not null,
    run_b varchar not null,
    page_id bigint not null,
    sample_a bigint not null,
    sample_b bigint not null,
    judge varchar not null,
    judge_kind varchar not null,
    rubric_sha256 varchar not null,
    criterion varchar not null,
    first varchar not null,
    answer varchar not null,
    said varchar,
    judged_at timestamptz not null
);
