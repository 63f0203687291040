-- Which texts of the newest run are the worst by S-BERT?
with newest as (
    select run_id, snapshot_id from runs where status = 'complete' order by finished_at desc limit 1
),
worst as (
    select run_id, page_id, sample, value
    from current_scores
    where run_id = (select run_id from newest) and metric = 'sbert' and value is not null
    order by value, page_id, sample
    limit 10
)
select value as sbert, title, sample, finish_reason, text
from worst
join completions using (run_id, page_id, sample)
left join articles on articles.snapshot_id = (select snapshot_id from newest) and articles.page_id = worst.page_id
order by value, worst.page_id, sample;
