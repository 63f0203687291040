-- What a run's model reads: everything but the articles' own text that its log-probabilities depend on.
create or replace macro reading_form(prompts, backend, dtype, numerics, prompt_template, protocol, versions) as json_object(
    'articles', prompts, 'backend', backend, 'dtype', dtype, 'numerics', numerics, 'template', prompt_template,
    'protocol', json_extract_string(protocol, [
        'chat', 'system', 'chat_template_args', 'thinking', 'max_thinking_tokens', 'begun'
    ]),
    'versions', json_extract_string(versions, [
        'bos', 'path', 'context', 'server', 'date', 'chat_template', 'thinking_markers', 'ends', 'tokenizer_json'
    ])
);

-- The likelihood run of each run's model: it has read the run's articles in the form of the run's prompts. Runs from elsewhere
-- have only likelihood runs of the same signers, so that nobody adds a number to another one's run.
create or replace view readings_anew as
with signed as (
    select run_id, list_sort(list(distinct signer)) as signers from origins where evaluator_id = '' group by run_id
),
scored as (
    select
        runs.run_id as run_id, snapshot_id, model_sha256, samples, started_at,
        reading_form(prompts, backend, dtype, numerics, prompt_template, protocol, versions)::varchar as form, signers
    from runs
    left join signed using (run_id)
    where runs.run_id in (select run_id from scorings) and runs.run_id not in (select run_id from hidden_runs)
)
select written.run_id as run_id, reading.run_id as reading_run_id
from scored as written
join scored as reading using (snapshot_id, model_sha256, form)
where written.samples > 0 and reading.samples = 0
    and written.signers is not distinct from reading.signers
qualify row_number() over (partition by written.run_id order by reading.started_at desc, reading.run_id) = 1;

-- The finished scorings, page means and summaries of each run, with those of its model's likelihood run.
create or replace view scorings_with_reading as
select run_id, evaluator_id, finished_at from scorings
union all
select readings.run_id, evaluator_id, finished_at
from scorings
join readings on scorings.run_id = reading_run_id;

create or replace view page_means_with_reading as
select run_id, metric, evaluator_id, page_id, mean, texts, squares from page_means
union all
select readings.run_id, metric, evaluator_id, page_id, mean, texts, squares
from page_means
join readings on page_means.run_id = reading_run_id;

create or replace view page_gaps_with_reading as
select run_id, metric, evaluator_id, page_id, reason, texts from page_gaps
union all
select readings.run_id, metric, evaluator_id, page_id, reason, texts
from page_gaps
join readings on page_gaps.run_id = reading_run_id;

create or replace view summaries_with_reading as
select *, false as is_read from stored_summaries
union all
select stored_summaries.* replace (readings.run_id as run_id), true
from stored_summaries
join readings on stored_summaries.run_id = reading_run_id;

comment on view readings_anew is 'Internal. The correct contents of readings, computed from the runs. For checks.';
comment on column readings_anew.run_id is 'The run.';
comment on column readings_anew.reading_run_id is 'The likelihood run of the same model on the same articles and prompts.';

comment on view scorings_with_reading is 'One row per finished scoring of a run, or of its model''s likelihood run on the same articles (readings).';
comment on column scorings_with_reading.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column scorings_with_reading.evaluator_id is 'The evaluator that computed the scores.';
comment on column scorings_with_reading.finished_at is 'The time at which the scoring was finished.';

comment on view page_means_with_reading is 'page_means with the rows of the likelihood run of each run''s model.';
comment on column page_means_with_reading.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column page_means_with_reading.metric is 'The metric.';
comment on column page_means_with_reading.evaluator_id is 'The evaluator that computed the scores.';
comment on column page_means_with_reading.page_id is 'The article of the prompt.';
comment on column page_means_with_reading.mean is 'The mean score of the prompt''s texts that have a score.';
comment on column page_means_with_reading.texts is 'The number of the prompt''s texts that have a score.';
comment on column page_means_with_reading.squares is 'The sum of the squared deviations of the scores of the prompt''s texts from their mean.';

comment on view page_gaps_with_reading is 'page_gaps with the rows of the likelihood run of each run''s model.';
comment on column page_gaps_with_reading.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column page_gaps_with_reading.metric is 'The metric.';
comment on column page_gaps_with_reading.evaluator_id is 'The evaluator that scored the texts.';
comment on column page_gaps_with_reading.page_id is 'The article of the prompt.';
comment on column page_gaps_with_reading.reason is 'The reason why there is no score.';
comment on column page_gaps_with_reading.texts is 'The number of the prompt''s texts without a score for this reason.';

comment on view summaries_with_reading is 'Internal. stored_summaries with the rows of the likelihood run of each run''s model.';
comment on column summaries_with_reading.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column summaries_with_reading.metric is 'The metric.';
comment on column summaries_with_reading.evaluator_id is 'The evaluator that computed the scores.';
comment on column summaries_with_reading.mean is 'The mean score over texts.';
comment on column summaries_with_reading.sd is 'The standard deviation over texts.';
comment on column summaries_with_reading.standard_error is 'The standard error of the mean, clustered by prompt.';
comment on column summaries_with_reading.freedom is 'The degrees of freedom of the standard error: the effective number of prompts minus 1.';
comment on column summaries_with_reading.skew is 'The skewness of the mean, estimated from the prompts.';
comment on column summaries_with_reading.pages is 'The number of prompts that have a score.';
comment on column summaries_with_reading.scored is 'The number of texts that have a score.';
comment on column summaries_with_reading.unscored is 'The number of texts that have no score.';
comment on column summaries_with_reading.reasons is 'The reasons why texts have no score, with the number of texts for each reason.';
comment on column summaries_with_reading.is_read is 'Whether the scores are those of the likelihood run of the run''s model.';
