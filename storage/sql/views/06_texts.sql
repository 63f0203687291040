-- A row a text that is judged. The numbers of a text are taken from as many rows of `scores`: what a run is known by stands
-- among that by which these are grouped, so that a condition on model, decoder, run or snapshot is asked first.
create or replace view texts as
with sources as (
    select run_id, model, decoder_short as decoder, snapshot_id, protocol from runs
    union all
    select run_id, model, 'reference', snapshot_id, null from reference_texts
),
written as (
    select run_id, page_id, sample, text, words from completions where kept
    union all
    select 'reference:' || snapshot_id, page_id, 0, completion, null from stored_articles
),
numbers as (
    select
        run_id, page_id, sample, model, decoder, snapshot_id,
        {value_of_each_metric}
    from scores
    join column_evaluators using (metric, evaluator_id)
    join scorings using (run_id, evaluator_id)
    join sources using (run_id)
    group by run_id, page_id, sample, model, decoder, snapshot_id
)
select
    model,
    decoder,
    run_id,
    snapshot_id,
    protocol,
    wiki,
    page_id,
    title,
    topic,
    sample,
    text,
    written.words as text_words,
    is_reference(run_id) as is_reference,
    numbers.* exclude (model, decoder, run_id, snapshot_id, page_id, sample)
from written
join sources using (run_id)
left join snapshots using (snapshot_id)
left join articles using (snapshot_id, page_id)
left join numbers using (run_id, page_id, sample, model, decoder, snapshot_id);

comment on view texts is 'A row a text that is judged, of runs and of articles, with all that is known of it; a column a metric, as in scores_wide.';
comment on column texts.model is 'The model; Wikipedia for an article.';
comment on column texts.decoder is 'The decoder without its defaults (runs.decoder_short); reference for an article.';
comment on column texts.run_id is 'The run; reference:SNAPSHOT for an article.';
comment on column texts.snapshot_id is 'The snapshot.';
comment on column texts.protocol is 'What decides which texts are judged: texts of runs that have the same can be compared. NULL for an article, which goes with any.';
comment on column texts.wiki is 'Its wiki; NULL where the prompts are of no snapshot.';
comment on column texts.page_id is 'The article.';
comment on column texts.title is 'Its title; NULL where the prompts are of no snapshot.';
comment on column texts.topic is 'What it is about; NULL where that is not known.';
comment on column texts.sample is 'The completion among those of its prompt; 0 for an article.';
comment on column texts.text is 'What was written; of an article all prose after its first sentence.';
comment on column texts.text_words is 'Its length in words split at white space; NULL for an article, of which articles.words has those of all prose.';
comment on column texts.is_reference is 'Whether it is an article, and not of a run.';
