-- Of a run that says none of its own, as those do that an older version has shared.
update runs
set protocol = protocol_of(backend, decoder, samples, keep, max_new_tokens, prompt_template, versions)
where run_id = ? and protocol is null;
