-- Who they are, in words, a column for each thing in which two of them can differ.
select
    evaluator_id,
    model,
    name || ' ' || version,
    'weights ' || left(model_sha256, 8),
    dtype,
    backend,
    nullif(trim(dependencies::varchar, '{}'), ''),
    nullif(trim(parameters::varchar, '{}'), '')
from evaluators
where evaluator_id in (select unnest(?));
