-- One row per scored text. The scores of a text are in several rows of `scores`. These are also grouped by the model, decoder,
-- run and snapshot, so that DuckDB applies a condition on one of these columns first.
create or replace view texts as
with sources as (
    select run_id, model, decoder_short as decoder, snapshot_id, protocol from runs
    union all
    select run_id, model, 'reference', snapshot_id, null from reference_texts
),
written as (
    select run_id, page_id, sample, coalesce(prose, text) as text, words from completions where kept
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

comment on view texts is 'One row per scored text of a run, and one per article, with everything that is known about the text. Each metric has a column, as in scores_wide.';
comment on column texts.model is 'The model; Wikipedia for the articles.';
comment on column texts.decoder is 'The decoder in its short form, without default parameters (runs.decoder_short); reference for the articles.';
comment on column texts.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column texts.snapshot_id is 'The snapshot.';
comment on column texts.protocol is 'The settings that decide which texts are scored. Texts of runs with the same protocol can be compared. NULL for the articles, which can be compared with any text.';
comment on column texts.wiki is 'The wiki; NULL if the prompts belong to no snapshot.';
comment on column texts.page_id is 'The article.';
comment on column texts.title is 'The title of the article; NULL if the prompts belong to no snapshot.';
comment on column texts.topic is 'The topic of the article; NULL if it is not known.';
comment on column texts.sample is 'The number of the completion among those of its prompt, from 0; 0 for an article.';
comment on column texts.text is 'The completion as it is scored; for an article, all prose after its first sentence.';
comment on column texts.text_words is 'The length of the text in words, split at white space; NULL for an article, for which articles.words counts all words of prose.';
comment on column texts.is_reference is 'Whether the text is an article instead of a completion.';
