select * replace (
    decoder_parameters::varchar as decoder_parameters, versions::varchar as versions, protocol::varchar as protocol
)
from runs
where run_id = ?;
