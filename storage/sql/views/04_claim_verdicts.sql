-- What runs claim, by their verdicts: a row a run and evaluator.
create or replace view claim_verdicts as
select
    run_id,
    judged.model,
    decoder,
    snapshot_id,
    evaluators.name as evaluator,
    evaluator_id,
    count(distinct (page_id, sample)) as texts,
    count(*) as sentences,
    count(*) filter (checkable) as checkable,
    count(*) filter (label = 'supported') as supported,
    count(*) filter (label = 'refuted') as refuted,
    count(*) filter (label = 'not enough info') as not_enough_info,
    avg((label = 'supported')::int) as supported_share,
    avg((label = 'refuted')::int) as refuted_share,
    avg((label = 'not enough info')::int) as not_enough_info_share,
    count(*) filter (evidence_cut) as evidence_cut
from claims
join evaluators using (evaluator_id)
left join (
    select run_id, model, decoder, snapshot_id from runs
    union all
    select 'reference:' || snapshot_id, 'Wikipedia', '', snapshot_id from snapshots
) as judged using (run_id)
group by run_id, judged.model, decoder, snapshot_id, evaluators.name, evaluator_id
order by snapshot_id, evaluator, run_id, evaluator_id;

comment on view claim_verdicts is 'What runs claim, by verdicts: a row a run and evaluator, over all sentences of its texts that were judged. A text with many sentences weighs more here than in the metrics claims_article_supported and their like, which are means over texts.';
comment on column claim_verdicts.run_id is 'The run, or reference:SNAPSHOT for the articles themselves.';
comment on column claim_verdicts.model is 'The model; Wikipedia for the articles.';
comment on column claim_verdicts.decoder is 'The decoder in canonical form; empty for the articles.';
comment on column claim_verdicts.snapshot_id is 'The snapshot.';
comment on column claim_verdicts.evaluator is 'claims_article or claims_wiki: where the evidence is from.';
comment on column claim_verdicts.evaluator_id is 'Who judged, by which model and which evidence.';
comment on column claim_verdicts.texts is 'How many texts the sentences are of.';
comment on column claim_verdicts.sentences is 'How many sentences there are.';
comment on column claim_verdicts.checkable is 'How many of them were checked; the others are too long.';
comment on column claim_verdicts.supported is 'How many the evidence supports.';
comment on column claim_verdicts.refuted is 'How many it refutes.';
comment on column claim_verdicts.not_enough_info is 'How many it neither supports nor refutes, those not checked among them.';
comment on column claim_verdicts.supported_share is 'Supported over all sentences.';
comment on column claim_verdicts.refuted_share is 'Refuted over all sentences.';
comment on column claim_verdicts.not_enough_info_share is 'Not enough info over all sentences.';
comment on column claim_verdicts.evidence_cut is 'For how many the model read only the beginning of the evidence that decided.';
