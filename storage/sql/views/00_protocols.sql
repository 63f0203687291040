-- What decides which texts of a run are judged, whatever its model. A deterministic decoder has one text to give, however
-- many are asked for, so samples and keep are NULL there; of texts from elsewhere only these two are known.
create or replace macro writes_one_text(decoder, samples, keep) as samples = 1 and keep = 1 and regexp_matches(
    decoder,
    '^((greedy|beam|group-beam|sibling-beam|contrastive-search)(:|$)|delayed-beam:(.*,)?delay=0(,|$)|contrastive-decoding:(.*,)?num_beams=[1-9])'
);

create or replace macro protocol_of(backend, decoder, samples, keep, max_new_tokens, prompt_template, versions) as json_object(
    'chat', if(backend = 'file', null, coalesce(versions ->> 'chat', 'no') = 'yes'),
    'keep', if(writes_one_text(decoder, samples, keep), null, keep),
    'max_new_tokens', max_new_tokens,
    'samples', if(writes_one_text(decoder, samples, keep), null, samples),
    'stop', if(backend = 'file', null, coalesce(versions -> 'stop', '[]'::json)),
    'template', if(backend = 'file', null, prompt_template)
);
