-- What a run has written, page by page. $2 is the metric to sort by (null: by title), $3 whether the largest come first,
-- $4 the only page that is wanted (null: all), $5 how many rows from $6 on.
with written as (
    select run_id, page_id, count(*) as completions, count(*) filter (kept) as kept
    from completions
    where run_id = $1
    group by run_id, page_id
),
numbers as (
    select page_id, avg(value) as value, min(value) as lowest, max(value) as highest, count(value) as scored,
        count(*) - count(value) as unscored, histogram(current_scores.status) filter (value is null) as reasons
    from current_scores
    where run_id = $1 and metric = $2
    group by page_id
)
select
    page_id, title, articles.words, completions, kept, value, lowest, highest,
    coverage(scored, unscored, reasons, greatest(kept, scored + unscored)) as status,
    row_number() over placed as place,
    count(*) over () as prompts,
    lag(page_id) over placed as previous_page,
    lead(page_id) over placed as next_page
from written
join runs using (run_id)
left join articles using (snapshot_id, page_id)
left join numbers using (page_id)
window placed as (order by if($3, -value, value) nulls last, title, page_id)
qualify $4 is null or page_id = $4
order by place
limit $5 offset $6;
