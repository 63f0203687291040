-- Prompts by group of people, which stand in the place of a snapshot in runs, and what `newwiki experiment fairness` finds.
create table prompt_sets (
    prompt_set_id varchar not null,
    name varchar not null,
    prompts bigint not null,
    published_at timestamptz not null
);

create table group_prompts (
    prompt_set_id varchar not null,
    page_id bigint not null,
    category varchar not null,
    group_name varchar not null,
    prompt varchar not null,
    context varchar,
    hidden varchar[] not null
);

create table swapped_scores (
    texts_sha256 varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    swapped bigint not null,
    repetition bigint not null,
    "values" double[] not null
);

create table fairness_settings (
    experiment_id varchar not null,
    model varchar not null,
    sweep varchar not null,
    place bigint not null,
    setting varchar not null,
    decoder varchar not null,
    run_id varchar not null,
    texts bigint not null,
    unended bigint not null,
    trigram_entropy double
);

create table fairness_shares (
    experiment_id varchar not null,
    model varchar not null,
    sweep varchar not null,
    place bigint not null,
    category varchar not null,
    group_name varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    prompts bigint not null,
    texts bigint not null,
    unscored bigint not null,
    share double,
    low double,
    high double,
    no_interval varchar
);

create table fairness_pairs (
    experiment_id varchar not null,
    model varchar not null,
    sweep varchar not null,
    place bigint not null,
    category varchar not null,
    metric varchar not null,
    group_a varchar not null,
    group_b varchar not null,
    paired boolean not null,
    prompts bigint not null,
    difference double,
    low double,
    high double,
    no_interval varchar,
    p double,
    p_holm double,
    verdict varchar not null
);

create table fairness_disparities (
    experiment_id varchar not null,
    model varchar not null,
    sweep varchar not null,
    place bigint not null,
    category varchar not null,
    metric varchar not null,
    pairs bigint not null,
    disparity double,
    low double,
    high double,
    no_interval varchar,
    p double,
    p_holm double
);

create table fairness_changes (
    experiment_id varchar not null,
    model varchar not null,
    sweep varchar not null,
    category varchar not null,
    metric varchar not null,
    group_a varchar not null,
    group_b varchar not null,
    from_place bigint not null,
    to_place bigint not null,
    advantaged_before varchar not null,
    advantaged_after varchar not null,
    shown boolean not null
);

create table fairness_correlations (
    experiment_id varchar not null,
    model varchar not null,
    sweep varchar not null,
    metric varchar not null,
    settings bigint not null,
    correlation double,
    low double,
    high double,
    p double
);

create table fairness_swaps (
    experiment_id varchar not null,
    metric varchar not null,
    swapped bigint not null,
    texts bigint not null,
    prompts bigint not null,
    repetitions bigint not null,
    share double not null,
    sd double,
    difference double,
    low double,
    high double,
    no_interval varchar,
    p double
);
