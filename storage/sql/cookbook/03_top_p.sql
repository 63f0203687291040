-- What does top_p change, all other parameters of the decoder being the same?
select
    model, metric, (decoder_parameters ->> 'top_p')::double as top_p, mean, sd, low, high,
    json_merge_patch(decoder_parameters, '{"top_p": null}') as other_parameters, snapshot_id, evaluator_id, protocol
from scoring_summaries
join runs using (run_id)
where metric in ('sbert', 'rep_4', 'distinct_2') and decoder_parameters ->> 'top_p' is not null
order by snapshot_id desc, model, other_parameters::varchar, protocol::varchar, metric, evaluator_id, top_p;
