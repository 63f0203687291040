select evaluator_id, name, version, model, model_sha256, dtype, backend, parameters, dependencies
from evaluators
where evaluator_id in (select unnest(?));
