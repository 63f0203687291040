-- Whether what stands in the place of a run's snapshot is a set of prompts by group, and no articles.
create or replace macro is_prompt_set(snapshot_id) as snapshot_id like 'prompts:%';

-- How each run was asked, a setting a column: the protocol first, whose settings must be the same where runs are compared.
create or replace view run_settings as
select
    run_id,
    (protocol ->> 'max_new_tokens')::bigint as max_new_tokens,
    (protocol ->> 'samples')::bigint as samples,
    (protocol ->> 'keep')::bigint as keep,
    protocol ->> 'template' as template,
    from_json(protocol -> 'stop', '["varchar"]') as stop,
    (protocol ->> 'chat')::boolean as chat,
    prompts,
    nullif(dtype, 'unknown') as dtype,
    backend,
    seed,
    coalesce((versions ->> 'strict')::boolean, false) as strict,
    versions ->> 'bos' as bos,
    versions ->> 'context' as context,
    versions ->> 'server' as server,
    versions ->> 'seeds' as seeds,
    numerics
from runs;

-- Whether runs of these two protocols can be compared: nothing differs, but for what has no part in one of them (samples and
-- keep of a deterministic decoder, and everything for the articles, whose protocol is NULL).
create or replace macro same_protocol(a, b) as a is null or b is null or (
    json_merge_patch(a, '{"samples": null, "keep": null}') = json_merge_patch(b, '{"samples": null, "keep": null}')
    and coalesce(a ->> 'samples' = b ->> 'samples', true)
    and coalesce(a ->> 'keep' = b ->> 'keep', true)
);

comment on view run_settings is 'How each run was asked, a setting a column. Runs are compared where the protocol is the same: max_new_tokens, samples, keep, template, stop and chat.';
comment on column run_settings.run_id is 'The run.';
comment on column run_settings.max_new_tokens is 'The longest completion; NULL for texts from elsewhere.';
comment on column run_settings.samples is 'Completions a prompt; NULL for a deterministic decoder, which has one to give whatever is asked for.';
comment on column run_settings.keep is 'How many of them, the longest by words, are scored; NULL for a deterministic decoder.';
comment on column run_settings.template is 'What prompts are made of; NULL for texts from elsewhere.';
comment on column run_settings.stop is 'The texts before which a completion ends; NULL for texts from elsewhere.';
comment on column run_settings.chat is 'Whether the prompt is the user''s turn of the model''s chat template; NULL for texts from elsewhere.';
comment on column run_settings.prompts is 'How many prompts.';
comment on column run_settings.dtype is 'The numbers that the model computes with; NULL for texts from elsewhere.';
comment on column run_settings.backend is 'What ran it.';
comment on column run_settings.seed is 'The seed; NULL for texts from elsewhere.';
comment on column run_settings.strict is 'Whether each completion was written alone.';
comment on column run_settings.bos is 'Whether a prompt begins with the BOS token: yes, no or template; NULL where it is not for us to say.';
comment on column run_settings.context is 'The longest context, where the backend sets it.';
comment on column run_settings.server is 'The kind of server that was asked; NULL for models that ran here.';
comment on column run_settings.seeds is 'Whether the server was given seeds; NULL for models that ran here.';
comment on column run_settings.numerics is 'The version of the engine''s bytes; NULL where another program computed, and in runs from before it was kept.';
