-- What are models good at? S-BERT by what the articles are about, over the runs on the newest run's snapshot.
with newest as (
    select snapshot_id from runs where status = 'complete' order by finished_at desc limit 1
),
means as (
    select page_id, evaluator_id, sum(mean) as total, count(*) as runs
    from current_page_means
    where metric = 'sbert' and run_id in (select run_id from runs join newest using (snapshot_id))
    group by page_id, evaluator_id
)
select
    coalesce(topic, 'not known') as topic, sum(total) / sum(runs) as sbert, count(*) as articles, max(runs) as runs,
    evaluator_id
from means
left join topics on topics.page_id = means.page_id and topics.snapshot_id = (select snapshot_id from newest)
group by coalesce(topic, 'not known'), evaluator_id
order by sbert desc;
