select * replace (decoder_parameters::varchar as decoder_parameters, versions::varchar as versions)
from runs
where run_id = ?;
