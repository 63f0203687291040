-- Verdicts on the claims of runs: one row per run and evaluator.
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

comment on view claim_verdicts is 'One row per run and evaluator: the verdicts on all sentences of the run''s texts. A text with many sentences weighs more here than in metrics such as claims_article_supported, which are means over texts.';
comment on column claim_verdicts.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column claim_verdicts.model is 'The model; Wikipedia for the articles.';
comment on column claim_verdicts.decoder is 'The decoder in canonical form; empty for the articles.';
comment on column claim_verdicts.snapshot_id is 'The snapshot.';
comment on column claim_verdicts.evaluator is 'The evaluator, named by the source of its evidence: claims_article or claims_wiki.';
comment on column claim_verdicts.evaluator_id is 'The evaluator that gave the verdicts, which determines the model and the evidence.';
comment on column claim_verdicts.texts is 'The number of texts that contain the sentences.';
comment on column claim_verdicts.sentences is 'The number of sentences.';
comment on column claim_verdicts.checkable is 'The number of sentences that were checked; the other sentences are too long.';
comment on column claim_verdicts.supported is 'The number of sentences that the evidence supports.';
comment on column claim_verdicts.refuted is 'The number of sentences that the evidence refutes.';
comment on column claim_verdicts.not_enough_info is 'The number of sentences that the evidence neither supports nor refutes, including those that were not checked.';
comment on column claim_verdicts.supported_share is 'The number of supported sentences divided by the number of all sentences.';
comment on column claim_verdicts.refuted_share is 'The number of refuted sentences divided by the number of all sentences.';
comment on column claim_verdicts.not_enough_info_share is 'The number of sentences with not enough info divided by the number of all sentences.';
comment on column claim_verdicts.evidence_cut is 'The number of sentences for which the model read only the beginning of the decisive evidence.';
