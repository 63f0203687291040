-- What finished scorings amount to is stored with them, so that no question has to go through all scores.
-- The mean over the texts of a page that have a value, and how many these are.
create table page_means (
    run_id varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    page_id bigint not null,
    mean double not null,
    texts bigint not null
);

create table stored_summaries (
    run_id varchar not null,
    metric varchar not null,
    evaluator_id varchar not null,
    mean double,
    sd double,
    standard_error double,
    pages bigint not null,
    scored bigint not null,
    unscored bigint not null,
    reasons map(varchar, bigint) not null
);

insert into page_means
select run_id, metric, evaluator_id, page_id, avg(value), count(value)
from scores
join scorings using (run_id, evaluator_id)
where value is not null
group by all
order by all;

insert into stored_summaries
with residuals as (
    select *, texts * (mean - sum(texts * mean) over scoring / sum(texts) over scoring) as residual
    from page_means
    window scoring as (partition by run_id, metric, evaluator_id)
),
errors as (
    select
        run_id, metric, evaluator_id, count(*) as pages,
        sqrt(count(*) / nullif(count(*) - 1, 0) * sum(residual ** 2)) / sum(texts) as standard_error
    from residuals
    group by all
)
select
    scores.run_id, scores.metric, scores.evaluator_id, avg(value), stddev_samp(value), any_value(standard_error),
    coalesce(any_value(pages), 0), count(value), count(*) - count(value),
    coalesce(histogram(status) filter (value is null), map())
from scores
join scorings using (run_id, evaluator_id)
left join errors using (run_id, metric, evaluator_id)
group by scores.run_id, scores.metric, scores.evaluator_id;
