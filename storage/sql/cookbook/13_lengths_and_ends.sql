-- How long are the texts that each run wrote, and why did they end?
with ends as (
    select
        run_id, finish_reason, count(*) as texts, sum(tokens) as tokens, sum(words) as words,
        count_if(truncated) as truncated
    from completions
    group by run_id, finish_reason
)
select
    model, decoder, snapshot_id, sum(texts) as texts, sum(ends.tokens) as tokens, sum(words) / sum(texts) as words_a_text,
    sum(truncated) / sum(texts) as truncated, map_from_entries(list((finish_reason, texts) order by finish_reason)) as ends
from ends
join runs using (run_id)
group by run_id, model, decoder, snapshot_id
order by snapshot_id desc, model, decoder;
