-- What the stored summaries must be, from the scores themselves. These two go through all scores that they are asked for:
-- they are read when a scoring is finished, and by `newwiki doctor`. Sums are taken in the order of pages and samples, so
-- that they have the same bits in whatever order scores were stored.
create or replace view page_means_anew as
select run_id, metric, evaluator_id, page_id, avg(value order by sample) as mean, count(value) as texts
from scores
join scorings using (run_id, evaluator_id)
where value is not null
group by run_id, metric, evaluator_id, page_id;

-- The standard error is that of the mean over texts, clustered by prompt (CR1, as in evaluators/statistics.py), because
-- completions of one prompt are correlated. Null texts (see `status`) are left out of all and counted.
create or replace view summaries_anew as
with residuals as (
    select *, texts * (mean - sum(texts * mean order by page_id) over scoring / sum(texts) over scoring) as residual
    from page_means
    window scoring as (partition by run_id, metric, evaluator_id)
),
errors as (
    select
        run_id, metric, evaluator_id,
        count(*) as pages,
        sqrt(count(*) / nullif(count(*) - 1, 0) * sum(residual ** 2 order by page_id)) / sum(texts) as standard_error
    from residuals
    group by run_id, metric, evaluator_id
)
select
    scores.run_id,
    scores.metric,
    scores.evaluator_id,
    avg(value order by page_id, sample) as mean,
    stddev_samp(value order by page_id, sample) as sd,
    any_value(standard_error) as standard_error,
    coalesce(any_value(pages), 0) as pages,
    count(value) as scored,
    count(*) - count(value) as unscored,
    coalesce(histogram(status) filter (value is null), map()) as reasons
from scores
join scorings using (run_id, evaluator_id)
left join errors using (run_id, metric, evaluator_id)
group by scores.run_id, scores.metric, scores.evaluator_id;

-- The 97.5 % point of Student's t distribution (Abramowitz and Stegun 26.7.5; exact for one and two degrees of freedom).
create or replace macro student_t_975(df) as
    case
        when df < 1 then null
        when df = 1 then 12.7062047
        when df = 2 then 4.3026527
        else 1.959963985 + 2.372271 / df + 2.8225 / df ** 2 + 2.5556 / df ** 3 + 1.5895 / df ** 4
    end;

create or replace view scoring_summaries as
select
    run_id, metric, evaluator_id, finished_at, mean, sd,
    mean - student_t_975((pages - 1)::double) * standard_error as low,
    mean + student_t_975((pages - 1)::double) * standard_error as high,
    scored, unscored, pages, standard_error, reasons
from stored_summaries
join scorings using (run_id, evaluator_id)
union all
select
    run_id, metric, evaluator_id, finished_at, value, spread, null, null,
    if(value is null, 0, texts), if(value is null, texts, 0), null, null, if(value is null, map {status: texts}, map())
from run_scores
join scorings using (run_id, evaluator_id);

-- Of each run and metric the newest. An evaluator's numbers are never mixed with another's.
create or replace view metric_summaries as
select run_id, metric, evaluator_id, mean, sd, low, high, scored, unscored, pages, standard_error, reasons
from scoring_summaries
qualify row_number() over (partition by run_id, metric order by finished_at desc, evaluator_id) = 1;

create or replace view current_scores as
select scores.*
from scores
join metric_summaries using (run_id, metric, evaluator_id);

create or replace view current_page_means as
select page_means.*
from page_means
join metric_summaries using (run_id, metric, evaluator_id);

create or replace view current_run_scores as
select run_scores.*
from run_scores
join metric_summaries using (run_id, metric, evaluator_id);

comment on view page_means_anew is 'What page_means must be, from the scores themselves: slow, for checks.';
comment on column page_means_anew.run_id is 'The run, or reference:SNAPSHOT.';
comment on column page_means_anew.metric is 'The metric.';
comment on column page_means_anew.evaluator_id is 'Who made the numbers.';
comment on column page_means_anew.page_id is 'The prompt''s article.';
comment on column page_means_anew.mean is 'The mean over the prompt''s texts that have a number.';
comment on column page_means_anew.texts is 'How many these are.';

comment on view summaries_anew is 'What stored_summaries must be, from the scores themselves: slow, for checks.';
comment on column summaries_anew.run_id is 'The run, or reference:SNAPSHOT.';
comment on column summaries_anew.metric is 'The metric.';
comment on column summaries_anew.evaluator_id is 'Who made the numbers.';
comment on column summaries_anew.mean is 'The mean over texts.';
comment on column summaries_anew.sd is 'Their standard deviation.';
comment on column summaries_anew.standard_error is 'The mean''s standard error, clustered by prompt.';
comment on column summaries_anew.pages is 'How many prompts have a number.';
comment on column summaries_anew.scored is 'How many texts have a number.';
comment on column summaries_anew.unscored is 'How many have none.';
comment on column summaries_anew.reasons is 'Why, with the number of texts for each reason.';

comment on view scoring_summaries is 'Every finished scoring by metric: the mean with its standard deviation and 95 % interval.';
comment on column scoring_summaries.run_id is 'The run, or reference:SNAPSHOT for the articles themselves.';
comment on column scoring_summaries.metric is 'The metric.';
comment on column scoring_summaries.evaluator_id is 'Who made the numbers.';
comment on column scoring_summaries.finished_at is 'When the scoring was finished.';
comment on column scoring_summaries.mean is 'The mean over texts; of a whole run its number.';
comment on column scoring_summaries.sd is 'The standard deviation over texts; of a whole run that over draws.';
comment on column scoring_summaries.low is 'The lower end of the mean''s 95 % interval; NULL for a number of a whole run.';
comment on column scoring_summaries.high is 'The upper end.';
comment on column scoring_summaries.scored is 'How many texts have a number.';
comment on column scoring_summaries.unscored is 'How many have none.';
comment on column scoring_summaries.pages is 'How many prompts have a number; NULL for a number of a whole run.';
comment on column scoring_summaries.standard_error is 'The mean''s standard error, clustered by prompt.';
comment on column scoring_summaries.reasons is 'Why texts have no number, with how many for each reason.';

comment on view metric_summaries is 'The newest finished scoring of each run and metric: one number for each, never mixed from several evaluators.';
comment on column metric_summaries.run_id is 'The run, or reference:SNAPSHOT for the articles themselves.';
comment on column metric_summaries.metric is 'The metric.';
comment on column metric_summaries.evaluator_id is 'Who made the numbers.';
comment on column metric_summaries.mean is 'The mean over texts; of a whole run its number.';
comment on column metric_summaries.sd is 'The standard deviation over texts; of a whole run that over draws.';
comment on column metric_summaries.low is 'The lower end of the mean''s 95 % interval; NULL for a number of a whole run.';
comment on column metric_summaries.high is 'The upper end.';
comment on column metric_summaries.scored is 'How many texts have a number.';
comment on column metric_summaries.unscored is 'How many have none.';
comment on column metric_summaries.pages is 'How many prompts have a number; NULL for a number of a whole run.';
comment on column metric_summaries.standard_error is 'The mean''s standard error, clustered by prompt.';
comment on column metric_summaries.reasons is 'Why texts have no number, with how many for each reason.';

comment on view current_scores is 'The numbers of single texts, of each run and metric those of the newest finished scoring.';
comment on column current_scores.run_id is 'The run, or reference:SNAPSHOT for the articles themselves.';
comment on column current_scores.page_id is 'The article.';
comment on column current_scores.sample is 'The completion among those of its prompt; 0 for an article.';
comment on column current_scores.metric is 'The metric.';
comment on column current_scores.value is 'The number; NULL where it cannot be had.';
comment on column current_scores.status is 'ok, or why there is no number.';
comment on column current_scores.evaluator_id is 'Who made it.';

comment on view current_page_means is 'The means by prompt, of each run and metric those of the newest finished scoring.';
comment on column current_page_means.run_id is 'The run, or reference:SNAPSHOT.';
comment on column current_page_means.metric is 'The metric.';
comment on column current_page_means.evaluator_id is 'Who made the numbers.';
comment on column current_page_means.page_id is 'The prompt''s article.';
comment on column current_page_means.mean is 'The mean over the prompt''s texts that have a number.';
comment on column current_page_means.texts is 'How many these are.';

comment on view current_run_scores is 'The numbers of whole runs, of each metric those of the newest finished scoring.';
comment on column current_run_scores.run_id is 'The run, or reference:SNAPSHOT for the articles as a run.';
comment on column current_run_scores.metric is 'The metric.';
comment on column current_run_scores.value is 'The number, a mean over draws; NULL where it cannot be had.';
comment on column current_run_scores.spread is 'The standard deviation over the draws or seeds; NULL for one.';
comment on column current_run_scores.status is 'ok, or why there is no number.';
comment on column current_run_scores.evaluator_id is 'Who made it.';
comment on column current_run_scores.texts is 'How many kept texts the run had then.';
