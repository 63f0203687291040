select evaluator_id, name, version, model, model_sha256, parameters, dependencies, dtype, backend
from evaluators
where evaluator_id in (select unnest(?))
order by name, evaluator_id;
