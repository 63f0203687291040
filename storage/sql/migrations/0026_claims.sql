-- What texts claim, sentence by sentence, and what became of it beside the evidence.
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
