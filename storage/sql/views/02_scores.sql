-- The newest finished scoring of each run by metric. An evaluator's numbers are never mixed with another's.
create or replace view current_scores as
with newest as (
    select distinct scores.run_id, scores.metric, scores.evaluator_id, scorings.finished_at
    from scores
    join scorings using (run_id, evaluator_id)
    qualify row_number() over (
        partition by scores.run_id, scores.metric order by scorings.finished_at desc, scores.evaluator_id
    ) = 1
)
select scores.*
from scores
join newest using (run_id, metric, evaluator_id);

-- Likewise for the numbers of a whole run.
create or replace view current_run_scores as
select run_scores.*
from run_scores
join scorings using (run_id, evaluator_id)
qualify row_number() over (
    partition by run_scores.run_id, metric order by scorings.finished_at desc, run_scores.evaluator_id
) = 1;

-- The 97.5 % point of Student's t distribution (Abramowitz and Stegun 26.7.5; exact for one and two degrees of freedom).
create or replace macro student_t_975(df) as
    case
        when df < 1 then null
        when df = 1 then 12.7062047
        when df = 2 then 4.3026527
        else 1.959963985 + 2.372271 / df + 2.8225 / df ** 2 + 2.5556 / df ** 3 + 1.5895 / df ** 4
    end;

-- Every finished scoring by metric: mean and standard deviation over texts, and the mean's 95 % interval by its standard
-- error clustered by prompt (CR1, as in evaluators/statistics.py), because completions of one prompt are correlated.
-- Null texts (see `status`) are left out of all and counted. A number of a whole run is its own mean, with the spread over
-- draws; it has no interval.
create or replace view scoring_summaries as
with pages as (
    select run_id, metric, evaluator_id, page_id, sum(value) as total, count(value) as texts
    from scores
    where value is not null
    group by run_id, metric, evaluator_id, page_id
),
residuals as (
    select *, total - texts * (sum(total) over scoring / sum(texts) over scoring) as residual
    from pages
    window scoring as (partition by run_id, metric, evaluator_id)
),
errors as (
    select
        run_id, metric, evaluator_id,
        student_t_975((count(*) - 1)::double)
            * sqrt(count(*) / nullif(count(*) - 1, 0) * sum(residual ** 2)) / sum(texts) as half_width
    from residuals
    group by run_id, metric, evaluator_id
)
select
    scores.run_id,
    scores.metric,
    scores.evaluator_id,
    any_value(scorings.finished_at) as finished_at,
    avg(value) as mean,
    stddev_samp(value) as sd,
    avg(value) - any_value(half_width) as low,
    avg(value) + any_value(half_width) as high,
    count(value) as scored,
    count(*) - count(value) as unscored
from scores
join scorings using (run_id, evaluator_id)
left join errors using (run_id, metric, evaluator_id)
group by scores.run_id, scores.metric, scores.evaluator_id
union all
select
    run_id, metric, evaluator_id, finished_at, value, spread, null, null,
    if(value is null, 0, texts), if(value is null, texts, 0)
from run_scores
join scorings using (run_id, evaluator_id);

-- Of each run and metric the newest.
create or replace view metric_summaries as
select run_id, metric, evaluator_id, mean, sd, low, high, scored, unscored
from scoring_summaries
qualify row_number() over (partition by run_id, metric order by finished_at desc, evaluator_id) = 1;
