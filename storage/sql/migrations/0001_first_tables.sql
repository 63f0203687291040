-- Times are UTC, texts UTF-8, parameters JSON. No foreign keys and no secondary indexes: `newwiki doctor` checks integrity.

create table snapshots (
    snapshot_id varchar not null,
    wiki varchar not null,
    kind varchar not null,
    window_start timestamptz not null,
    window_end timestamptz not null,
    cutoff timestamptz not null,
    parameters json not null,
    extractor_version varchar not null,
    candidates bigint not null,
    articles bigint not null,
    content_sha256 varchar not null,
    published_at timestamptz not null
);

create table candidates (
    snapshot_id varchar not null,
    page_id bigint not null,
    title varchar not null,
    created_at timestamptz not null,
    rev_id bigint,
    revisions bigint,
    words bigint,
    verdict varchar not null,
    detail varchar
);

create table articles (
    snapshot_id varchar not null,
    page_id bigint not null,
    rev_id bigint not null,
    title varchar not null,
    created_at timestamptz not null,
    revised_at timestamptz not null,
    revisions bigint not null,
    words bigint not null,
    first_sentence varchar not null,
    completion varchar not null,
    topic varchar,
    text_sha256 varchar not null,
    permalink varchar not null
);

create table runs (
    run_id varchar not null,
    snapshot_id varchar not null,
    model varchar not null,
    model_sha256 varchar not null,
    backend varchar not null,
    decoder varchar not null,
    decoder_parameters json not null,
    prompt_template varchar not null,
    prompts bigint not null,
    seed bigint not null,
    samples bigint not null,
    keep bigint not null,
    max_new_tokens bigint not null,
    dtype varchar not null,
    versions json not null,
    status varchar not null,
    started_at timestamptz,
    finished_at timestamptz
);

create table completions (
    run_id varchar not null,
    page_id bigint not null,
    sample bigint not null,
    text varchar not null,
    tokens bigint not null,
    words bigint not null,
    finish_reason varchar not null,
    truncated boolean not null,
    kept boolean
);

create table evaluators (
    evaluator_id varchar not null,
    name varchar not null,
    version varchar not null,
    model varchar,
    model_sha256 varchar,
    parameters json not null,
    dependencies json not null,
    dtype varchar,
    backend varchar
);

create table metrics (
    metric varchar not null,
    unit varchar not null,
    minimum double,
    maximum double,
    direction varchar not null,
    definition varchar not null,
    source varchar not null
);

create table scores (
    run_id varchar not null,
    page_id bigint not null,
    sample bigint not null,
    metric varchar not null,
    value double,
    status varchar not null,
    evaluator_id varchar not null
);

create table run_scores (
    run_id varchar not null,
    metric varchar not null,
    value double,
    spread double,
    status varchar not null,
    evaluator_id varchar not null
);

-- A row says that every kept text of the run has its scores from this evaluator; until then none of them is shown.
create table scorings (
    run_id varchar not null,
    evaluator_id varchar not null,
    finished_at timestamptz
);
