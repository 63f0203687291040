-- What `newwiki experiment exposure-bias` has models write and read, so that none of it is computed twice, and what it finds.
create table exposure_generations (
    generation_id varchar not null,
    page_id bigint not null,
    sample bigint not null,
    context_sha256 varchar not null,
    tokens bigint[] not null
);

create table exposure_divergences (
    reading_id varchar not null,
    sequence_sha256 varchar not null,
    total_variation double[] not null,
    jensen_shannon double[] not null
);

create table exposure_scores (
    experiment_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    metric varchar not null,
    prefix varchar not null,
    rate double not null,
    prefix_length bigint not null,
    gap bigint not null,
    seed bigint not null,
    texts bigint not null,
    score double not null,
    ratio double
);

create table exposure_measures (
    experiment_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    metric varchar not null,
    prefix varchar not null,
    rate double not null,
    prefix_length bigint not null,
    gap bigint not null,
    seeds bigint not null,
    score double not null,
    score_sd double,
    ratio double,
    ratio_sd double,
    low double,
    high double,
    no_interval varchar
);

create table exposure_trends (
    experiment_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    metric varchar not null,
    prefix varchar not null,
    rate double not null,
    along varchar not null,
    seeds bigint not null,
    mean double,
    low double,
    high double,
    p double,
    slope double,
    slope_low double,
    slope_high double,
    slope_p double,
    no_interval varchar
);

create table exposure_examples (
    experiment_id varchar not null,
    model varchar not null,
    decoder varchar not null,
    prefix varchar not null,
    rate double not null,
    page_id bigint not null,
    prompt varchar not null,
    prefix_end varchar not null,
    written varchar not null
);
