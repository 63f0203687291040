-- Of each run in $1 the lowest, the middle and the highest text by the metric $2 of the evaluator $3, beside its article
-- of the snapshot $4. `place` is among `scored` texts.
with ranked as (
    select scores.run_id, page_id, sample, value,
        row_number() over (partition by scores.run_id order by value, page_id, sample) as place,
        count(*) over (partition by scores.run_id) as scored
    from scores
    join scorings using (run_id, evaluator_id)
    where scores.run_id in (select unnest($1)) and metric = $2 and evaluator_id = $3 and value is not null
)
select run_id, place, scored, value, page_id, sample, articles.title, articles.permalink, articles.first_sentence,
    articles.completion as reference, completions.text, completions.words, completions.finish_reason
from ranked
join completions using (run_id, page_id, sample)
join articles using (page_id)
where articles.snapshot_id = $4 and place in (1, (scored + 1) // 2, scored)
order by run_id, place;
