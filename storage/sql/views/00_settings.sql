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
    coalesce(protocol ->> 'system', if(backend = 'file', null, 'none')) as system,
    coalesce(protocol ->> 'chat_template_args', if(backend = 'file', null, 'none')) as chat_template_args,
    coalesce(protocol ->> 'thinking', if(backend = 'file', null, 'none')) as thinking,
    coalesce(protocol ->> 'max_thinking_tokens', if(backend = 'file', null, 'none')) as max_thinking_tokens,
    coalesce(protocol ->> 'begun', if(backend = 'file', null, 'none')) as begun,
    coalesce(protocol ->> 'cleaning', if(backend = 'file', null, 'none')) as cleaning,
    prompts,
    nullif(dtype, 'unknown') as dtype,
    backend,
    seed,
    coalesce((versions ->> 'strict')::boolean, false) as strict,
    versions ->> 'bos' as bos,
    versions ->> 'context' as context,
    versions ->> 'server' as server,
    versions ->> 'seeds' as seeds,
    numerics,
    versions ->> 'date' as date,
    versions ->> 'chat_template' as chat_template,
    versions ->> 'thinking_markers' as thinking_markers,
    versions ->> 'ends' as ends,
    versions ->> 'tokenizer_json' as tokenizer_json
from runs;

-- Whether runs with these two protocols can be compared: their settings are equal, apart from settings that do not apply to
-- one of them (samples and keep of a deterministic decoder, and all settings of the articles, whose protocol is NULL).
create or replace macro same_protocol(a, b) as a is null or b is null or (
    json_merge_patch(a, '{"samples": null, "keep": null}') = json_merge_patch(b, '{"samples": null, "keep": null}')
    and coalesce(a ->> 'samples' = b ->> 'samples', true)
    and coalesce(a ->> 'keep' = b ->> 'keep', true)
);

comment on view run_settings is 'One row per run: its settings, one per column. Runs are compared only if they have the same protocol: max_new_tokens, samples, keep, template, stop and chat, and for chats system, chat_template_args, thinking, max_thinking_tokens, begun and cleaning.';
comment on column run_settings.run_id is 'The run.';
comment on column run_settings.max_new_tokens is 'The maximum number of tokens per completion; NULL for texts from elsewhere.';
comment on column run_settings.samples is 'The number of completions per prompt; NULL for a deterministic decoder, which writes only one whatever is requested.';
comment on column run_settings.keep is 'The number of completions per prompt, the longest by words, that are scored; NULL for a deterministic decoder.';
comment on column run_settings.template is 'The template of the prompts; NULL for texts from elsewhere.';
comment on column run_settings.stop is 'The strings before which a completion ends; NULL for texts from elsewhere.';
comment on column run_settings.chat is 'Whether the prompt is the user''s turn in the model''s chat template; NULL for texts from elsewhere.';
comment on column run_settings.system is 'The system turn of a chat; none if there is none, NULL for texts from elsewhere.';
comment on column run_settings.chat_template_args is 'The arguments of the chat template in JSON; none if there are none.';
comment on column run_settings.thinking is 'Whether a chat model thinks before it answers: auto (as its authors do), on or off; none for runs that are no chats.';
comment on column run_settings.max_thinking_tokens is 'The maximum number of tokens of the thinking; none for runs that are no chats.';
comment on column run_settings.begun is 'no if the template begins the answer of a chat model, and its server could not; else none.';
comment on column run_settings.cleaning is 'The version of the rule that turned the answers into prose before they were scored; none if they are scored as written.';
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
comment on column run_settings.date is 'The day that the chat template got in place of the clock; NULL if it does not ask for the date.';
comment on column run_settings.chat_template is 'The beginning of the SHA-256 of the chat template that replaced the model''s own; NULL if none did.';
comment on column run_settings.thinking_markers is 'The beginning of the SHA-256 of the file that described the marks of thinking; NULL if there was none.';
comment on column run_settings.ends is 'The tokens that ended a text, if there were others than those of the generation configuration; else NULL.';
comment on column run_settings.tokenizer_json is 'yes if the tokenizer of tokenizer.json was taken in place of the one that transformers builds; else NULL.';
