-- The protocol of a run: the settings that decide which of its texts are scored, whatever the model. A deterministic decoder
-- writes only one text, whatever is requested, so its samples and keep are NULL. Texts from elsewhere have only these two.
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
