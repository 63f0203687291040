select * replace (parameters::varchar as parameters, dependencies::varchar as dependencies)
from evaluators
where evaluator_id = ?;
