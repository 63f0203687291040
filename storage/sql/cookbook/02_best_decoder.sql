-- Which decoder is each model's best by S-BERT?
-- Only numbers of the same evaluator on the same snapshot are compared, of runs that were asked alike (`protocol`).
select model, decoder, mean, low, high, snapshot_id, evaluator_id, protocol
from scoring_summaries
join runs using (run_id)
where metric = 'sbert'
qualify row_number() over (
    partition by model, snapshot_id, evaluator_id, json_merge_patch(protocol, '{"samples": null, "keep": null}')
    order by mean desc nulls last, run_id) = 1
order by snapshot_id desc, mean desc;
