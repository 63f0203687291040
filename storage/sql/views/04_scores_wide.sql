create or replace view scores_wide as
select
    run_id,
    page_id,
    sample,
    {value_of_each_metric}
from current_scores
group by run_id, page_id, sample;

comment on view scores_wide is 'A row a text, a column a metric: current_scores beside each other.';
comment on column scores_wide.run_id is 'The run, or reference:SNAPSHOT.';
comment on column scores_wide.page_id is 'The article.';
comment on column scores_wide.sample is 'The completion among those of its prompt; 0 for an article.';
