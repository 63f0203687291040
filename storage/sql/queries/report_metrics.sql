select metric, unit, minimum, maximum, direction, definition, source, scope, pitfalls
from metrics
where metric in (select unnest(?));
