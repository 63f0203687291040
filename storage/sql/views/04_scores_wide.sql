create or replace view scores_wide as
with elsewhere as (
    select run_id, list(metric order by metric) as metrics
    from column_scorings
    where not shown and metric in (select metric from metrics where scope = 'text')
    group by run_id
),
numbers as (
    select run_id, page_id, sample, metric, if(shown, value, null) as value
    from scores
    join column_scorings using (run_id, metric, evaluator_id)
)
select
    run_id,
    page_id,
    sample,
    is_reference(run_id) as is_reference,
    any_value(elsewhere.metrics) as by_other_evaluators,
    {value_of_each_metric}
from numbers
left join elsewhere using (run_id)
group by run_id, page_id, sample;

comment on view scores_wide is 'One row per text, one column per metric: the scores by the evaluator that column_evaluators names. current_scores has the scores by other evaluators.';
comment on column scores_wide.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column scores_wide.page_id is 'The article.';
comment on column scores_wide.sample is 'The number of the completion among those of its prompt, from 0; 0 for an article.';
comment on column scores_wide.is_reference is 'Whether the text is an article or another reference instead of a completion.';
comment on column scores_wide.by_other_evaluators is 'The metrics whose column is NULL because only other evaluators have scored the run by them; NULL if there are none.';
