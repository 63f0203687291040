select run_id, snapshot_id, model, model_sha256, backend, decoder, decoder_parameters, prompt_template, prompts, seed, samples,
    keep, max_new_tokens, dtype, versions, numerics, protocol, status, started_at, finished_at, heard_at, process
from runs
where snapshot_id = ?
order by started_at, run_id;
