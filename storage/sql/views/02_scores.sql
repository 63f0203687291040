-- What the stored summaries must be, from the scores themselves. These two go through all scores that they are asked for:
-- they are read when a scoring is finished, and by `newwiki doctor`.
create or replace view page_means_anew as
select run_id, metric, evaluator_id, page_id, avg(value) as mean, count(value) as texts
from scores
join scorings using (run_id, evaluator_id)
where value is not null
group by run_id, metric, evaluator_id, page_id;

-- The standard error is that of the mean over texts, clustered by prompt (CR1, as in evaluators/statistics.py), because
-- completions of one prompt are correlated. Null texts (see `status`) are left out of all and counted.
create or replace view summaries_anew as
with residuals as (
    select *, texts * (mean - sum(texts * mean) over scoring / sum(texts) over scoring) as residual
    from page_means
    window scoring as (partition by run_id, metric, evaluator_id)
),
errors as (
    select
        run_id, metric, evaluator_id,
        count(*) as pages,
        sqrt(count(*) / nullif(count(*) - 1, 0) * sum(residual ** 2)) / sum(texts) as standard_error
    from residuals
    group by run_id, metric, evaluator_id
)
select
    scores.run_id,
    scores.metric,
    scores.evaluator_id,
    avg(value) as mean,
    stddev_samp(value) as sd,
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
