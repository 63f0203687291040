-- Whether the snapshot_id of a run names a prompt set instead of a snapshot of articles.
create or replace macro is_prompt_set(snapshot_id) as snapshot_id like 'prompts:%';

-- The settings of each run, one per column. The settings of the protocol, which compared runs must share, come first.
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

-- Whether runs with these two protocols can be compared: their settings are equal, apart from settings that do not apply to
-- one of them (samples and keep of a deterministic decoder, and all settings of the articles, whose protocol is NULL).
create or replace macro same_protocol(a, b) as a is null or b is null or (
    json_merge_patch(a, '{"samples": null, "keep": null}') = json_merge_patch(b, '{"samples": null, "keep": null}')
    and coalesce(a ->> 'samples' = b ->> 'samples', true)
    and coalesce(a ->> 'keep' = b ->> 'keep', true)
);

comment on view run_settings is 'One row per run: its settings, one per column. Runs are compared only if they have the same protocol: max_new_tokens, samples, keep, template, stop and chat.';
comment on column run_settings.run_id is 'The run.';
comment on column run_settings.max_new_tokens is 'The maximum number of tokens per completion; NULL for texts from elsewhere.';
comment on column run_settings.samples is 'The number of completions per prompt; NULL for a deterministic decoder, which writes only one whatever is requested.';
comment on column run_settings.keep is 'The number of completions per prompt, the longest by words, that are scored; NULL for a deterministic decoder.';
comment on column run_settings.template is 'The template of the prompts; NULL for texts from elsewhere.';
comment on column run_settings.stop is 'The strings before which a completion ends; NULL for texts from elsewhere.';
comment on column run_settings.chat is 'Whether the prompt is the user''s turn in the model''s chat template; NULL for texts from elsewhere.';
comment on column run_settings.prompts is 'The number of prompts.';
comment on column run_settings.dtype is 'The data type in which the model computes; NULL for texts from elsewhere.';
comment on column run_settings.backend is 'The backend that ran the model.';
comment on column run_settings.seed is 'The random seed; NULL for texts from elsewhere.';
comment on column run_settings.strict is 'Whether each completion was computed alone instead of in a batch.';
comment on column run_settings.bos is 'Whether a prompt begins with the BOS token: yes, no or template; NULL if another program decides it.';
comment on column run_settings.context is 'The maximum length of the context, in tokens, if the backend sets it.';
comment on column run_settings.server is 'The kind of server that ran the model; NULL for models that ran locally.';
comment on column run_settings.seeds is 'Whether the server received seeds; NULL for models that ran locally.';
comment on column run_settings.numerics is 'The version of the engine''s numerics; NULL if another program computed, and for runs made before this column existed.';
