-- From version 0.1.0 to 0.2.0: everything but the result tables of experiments, which 0050 stores.

-- Runs: the version of the engine's numerics, heartbeat, knowledge cutoff, decoder without defaults (storage/short_forms.py
-- fills it), and how many prompts and texts are kept.
alter table runs add column numerics bigint;
alter table runs add column heard_at timestamptz;
alter table runs add column process varchar;
alter table runs add column knowledge_cutoff date;
alter table runs add column knowledge_cutoff_from varchar;
alter table runs add column decoder_short varchar;
alter table runs add column kept_prompts bigint;
alter table runs add column kept_texts bigint;
update runs set heard_at = coalesce(finished_at, started_at);
update runs
set kept_prompts = found.prompts, kept_texts = found.texts
from (
    select run_id, count(distinct page_id) as prompts, count(*) as texts from completions where kept group by run_id
) as found
where found.run_id = runs.run_id;
alter table completions add column token_ids bigint[];

-- What the wiki says about its texts; NULL in snapshots of 0.1.0.
alter table snapshots add column language varchar;
alter table snapshots add column licence varchar;
alter table snapshots add column licence_url varchar;

-- A hash of each column of each table of a snapshot. The hashes of existing snapshots are taken after the migrations.
create table snapshot_hashes (
    snapshot_id varchar not null,
    table_name varchar not null,
    column_name varchar not null,
    rows bigint not null,
    taken varchar not null,
    taken_at timestamptz not null,
    sha256 varchar not null
);

-- Processes that worked at the same time have stored some rows twice.
delete from reference_parts
where rowid not in (select min(rowid) from reference_parts group by snapshot_id, page_id, part, made_by);
delete from months where rowid not in (select min(rowid) from months group by notice_key);

-- Infoboxes, citations, templates, links, images and sections of an article; no rows for snapshots of 0.1.0.
create table article_structure (
    snapshot_id varchar not null,
    page_id bigint not null,
    structure_version varchar not null,
    infoboxes bigint not null,
    citations bigint not null,
    templates struct(template varchar, uses bigint)[] not null,
    links bigint not null,
    images bigint not null,
    sections bigint not null
);

create table article_facts (
    snapshot_id varchar not null,
    page_id bigint not null,
    infobox bigint not null,
    template varchar not null,
    parameter varchar not null,
    value varchar not null
);

create table article_citations (
    snapshot_id varchar not null,
    page_id bigint not null,
    place bigint not null,
    template varchar,
    host varchar,
    date varchar
);

-- Scores of runs against a later edition of their snapshot, and statements that only the later edition makes.
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

-- The answers of experiments, and what experiments compute on the way to them.
create table experiments (
    experiment_id varchar not null,
    name varchar not null,
    version varchar not null,
    snapshot_id varchar not null,
    request json not null,
    read json not null,
    verdict varchar not null,
    words varchar[] not null,
    made_at timestamptz not null,
    generalizes_over varchar,
    methods json
);

create table claims (
    run_id varchar not null,
    page_id bigint not null,
    sample bigint not null,
    evaluator_id varchar not null,
    sentence bigint not null,
    start_char bigint not null,
    end_char bigint not null,
    claim varchar not null,
    checkable boolean not null,
    label varchar not null,
    supported double,
    refuted double,
    not_enough_info double,
    evidence_title varchar,
    evidence_sentence bigint,
    evidence varchar,
    evidence_cut boolean
);

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

create table response_phrases (
    run_id varchar not null,
    evaluator_id varchar not null,
    page_id bigint not null,
    sample bigint not null,
    phrases varchar[] not null
);

-- Judgements of pairs of texts, the questions that judges were asked, and the secrets that keep judging blind.
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
    judged_at timestamptz not null,
    origin varchar default ''
);

create table judging_secrets (
    run_a varchar not null,
    run_b varchar not null,
    rubric_sha256 varchar not null,
    secret blob not null
);

create table this_database (
    database_id varchar not null
);
insert into this_database select left(replace(cast(uuid() as varchar), '-', ''), 12);

-- Summaries are computed anew from the scores, with the squares that standard deviations of any part of a snapshot need.
alter table page_means add column squares double;
delete from page_means;
delete from stored_summaries;

create table page_gaps (
    run_id varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    page_id bigint not null,
    reason varchar not null,
    texts bigint not null
);

create table stored_column_evaluators (
    metric varchar not null,
    evaluator_id varchar not null
);

-- Where runs and scores of other people came from, and how far they were verified here.
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
    checked_at timestamptz not null,
    texts struct(page_id bigint, sample bigint)[]
);

-- The number of transactions that this database has stored; the file beside it tells when some of them are lost.
create table commit_counter (
    commits bigint not null
);
insert into commit_counter values (0);

drop view if exists whole_scores;
