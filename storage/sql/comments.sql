-- What the tables and their columns are; docs/sql.md is written from it, and `duckdb_columns()` gives it. Those of views stand
-- beside them.

comment on table snapshots is 'Published test sets: a row each, which never changes.';
comment on column snapshots.snapshot_id is 'Its name, such as enwiki-2026-10.';
comment on column snapshots.wiki is 'The wiki''s database name, such as enwiki.';
comment on column snapshots.kind is 'new, old for articles that models may have seen, or revisit for those of another snapshot at a later cutoff.';
comment on column snapshots.window_start is 'The first moment at which its articles were created.';
comment on column snapshots.window_end is 'The first moment after the window.';
comment on column snapshots.cutoff is 'When it was cut: articles are as they stood then.';
comment on column snapshots.parameters is 'All that decides which articles are chosen.';
comment on column snapshots.extractor_version is 'What turned wikitext into prose.';
comment on column snapshots.candidates is 'How many pages were considered.';
comment on column snapshots.articles is 'How many were chosen.';
comment on column snapshots.content_sha256 is 'The hash of articles, parameters and extractor version.';
comment on column snapshots.published_at is 'When it was published.';
comment on column snapshots.language is 'The language of its texts; NULL in old snapshots.';
comment on column snapshots.licence is 'The licence of its texts in the wiki''s words; NULL where it was not told, as by a dump.';
comment on column snapshots.licence_url is 'Where that licence stands; NULL where it was not told.';

comment on table requests is 'What a refresh asked the wiki for, over all its attempts.';
comment on column requests.snapshot_id is 'The snapshot that was made of it.';
comment on column requests.kind is 'What was asked for.';
comment on column requests.requests is 'How many requests, repetitions included.';
comment on column requests.retries is 'How many of them were repetitions.';
comment on column requests.bytes is 'What came, compressed and without headers.';
comment on column requests.seconds is 'Until the answers were there, waits included.';

comment on table candidates is 'Every page that was considered for a snapshot, and what became of it.';
comment on column candidates.snapshot_id is 'The snapshot.';
comment on column candidates.page_id is 'MediaWiki''s number of the page.';
comment on column candidates.title is 'Its title at the cutoff.';
comment on column candidates.created_at is 'When its first revision was saved.';
comment on column candidates.rev_id is 'The revision that was judged; NULL where there is none to be had.';
comment on column candidates.revisions is 'How many it had at the cutoff, never counted beyond what was asked for; NULL where not asked.';
comment on column candidates.words is 'Words of prose; NULL where nothing was read.';
comment on column candidates.verdict is 'selected, or why not.';
comment on column candidates.detail is 'What else there is to say of the verdict.';
comment on column candidates.origin is 'original, translation or split, as the edit says that created it; NULL in old snapshots.';

comment on table stored_articles is 'Internal. The articles as they were published. Ask the view articles, which knows their topics too.';
comment on column stored_articles.snapshot_id is 'The snapshot.';
comment on column stored_articles.page_id is 'MediaWiki''s number of the page.';
comment on column stored_articles.rev_id is 'The revision that stood at the cutoff.';
comment on column stored_articles.title is 'Its title.';
comment on column stored_articles.created_at is 'When its first revision was saved.';
comment on column stored_articles.revised_at is 'When this revision was saved.';
comment on column stored_articles.revisions is 'How many it had at the cutoff, never counted beyond what was asked for.';
comment on column stored_articles.words is 'Words of prose.';
comment on column stored_articles.first_sentence is 'The first sentence, which is part of the prompt.';
comment on column stored_articles.completion is 'All prose after it: the reference.';
comment on column stored_articles.text_sha256 is 'The hash of both.';
comment on column stored_articles.permalink is 'Where this revision can be read.';
comment on column stored_articles.headings is 'A list of [level, title, offset in characters]: where in the prose the text below a heading begins.';
comment on column stored_articles.sha1 is 'The hex SHA-1 of the wikitext, as MediaWiki gives it; NULL in old snapshots.';

comment on table article_structure is 'What stands beside the prose of an article, in numbers; no row in a snapshot that was published before this was kept, and of a page that is too large.';
comment on column article_structure.snapshot_id is 'The snapshot.';
comment on column article_structure.page_id is 'The article.';
comment on column article_structure.structure_version is 'What read it.';
comment on column article_structure.infoboxes is 'How many infoboxes it has.';
comment on column article_structure.citations is 'How many citations: rows in article_citations.';
comment on column article_structure.templates is 'Which templates it calls, and how often.';
comment on column article_structure.links is 'How many links to pages of the wiki.';
comment on column article_structure.images is 'How many images: links to files, lines of galleries, file names in infoboxes.';
comment on column article_structure.sections is 'How many headings of any level.';

comment on table article_facts is 'What the infoboxes of an article say: a row a parameter that has a text.';
comment on column article_facts.snapshot_id is 'The snapshot.';
comment on column article_facts.page_id is 'The article.';
comment on column article_facts.infobox is 'The number of the infobox among those of the article, from 1.';
comment on column article_facts.template is 'The infobox''s name.';
comment on column article_facts.parameter is 'The parameter.';
comment on column article_facts.value is 'Its value as a reader sees it; the items of a list are separated by "; ".';

comment on table article_citations is 'What an article cites: a row a citation template, and a row a footnote without one.';
comment on column article_citations.snapshot_id is 'The snapshot.';
comment on column article_citations.page_id is 'The article.';
comment on column article_citations.place is 'Its number in the article, from 1.';
comment on column article_citations.template is 'The template; NULL for a footnote without one.';
comment on column article_citations.host is 'The host of its address, without www.; NULL where it has none.';
comment on column article_citations.date is 'Its date as it is written there; NULL where it has none.';

comment on table topics is 'What articles are about: a row for each that was looked up.';
comment on column topics.snapshot_id is 'The snapshot.';
comment on column topics.page_id is 'The page.';
comment on column topics.wikibase_item is 'Its Wikidata item; NULL where the page has none.';
comment on column topics.instance_of is 'The classes that the item is an instance of.';
comment on column topics.topic is 'The coarse type of those; NULL where there is no class.';
comment on column topics.looked_up_at is 'When it was looked up.';

comment on table novelty is 'The earlier text that each article is most similar to.';
comment on column novelty.snapshot_id is 'The snapshot.';
comment on column novelty.page_id is 'The article.';
comment on column novelty.nearest_title is 'The title of the other; NULL where nothing reaches 0.1.';
comment on column novelty.nearest_snapshot_id is 'Where the other stands; the same snapshot for a page of the same refresh.';
comment on column novelty.similarity is 'The Jaccard index of their word 5-grams, 0 to 1.';

comment on table snapshot_hashes is 'Internal. A hash of every column of every table that belongs to a snapshot, which `newwiki snapshots verify` asks.';
comment on column snapshot_hashes.snapshot_id is 'The snapshot.';
comment on column snapshot_hashes.table_name is 'The table.';
comment on column snapshot_hashes.column_name is 'Its column.';
comment on column snapshot_hashes.rows is 'How many rows of the snapshot it had.';
comment on column snapshot_hashes.taken is 'When the hash was taken: as it was published, looked up (topics), taken in (newwiki pull), or migrated, if it is older than these hashes.';
comment on column snapshot_hashes.taken_at is 'The moment.';
comment on column snapshot_hashes.sha256 is 'The hash of the values in the order of the table''s key, and of all of this row.';

comment on table reference_parts is 'Internal. What models made of articles, so that each is read once by each model.';
comment on column reference_parts.snapshot_id is 'The snapshot.';
comment on column reference_parts.page_id is 'The article.';
comment on column reference_parts.part is 'What was made, such as entities or embedding.';
comment on column reference_parts.made_by is 'The hash of who made it.';
comment on column reference_parts.value is 'It, in JSON.';

comment on table runs is 'A model under a decoder on the prompts of a snapshot, or one that has read its articles.';
comment on column runs.run_id is 'A hash of all that decides what is written.';
comment on column runs.snapshot_id is 'The snapshot; file:… for texts that brought their own references.';
comment on column runs.model is 'The model''s folder or hub id.';
comment on column runs.model_sha256 is 'The hash of its weights, configuration and tokenizer; served:… is one of name and address, where only a server has the weights.';
comment on column runs.backend is 'What ran it: hf, seq2seq …; file for texts from elsewhere.';
comment on column runs.decoder is 'The decoder in canonical form; likelihood of a run that reads articles and writes none.';
comment on column runs.decoder_short is 'The decoder without its defaults.';
comment on column runs.decoder_parameters is 'Its parameters by name; of a run that reads, the windows that it reads in.';
comment on column runs.prompt_template is 'What prompts are made of.';
comment on column runs.prompts is 'How many prompts.';
comment on column runs.seed is 'The seed; NULL for texts from elsewhere, and where nothing is drawn.';
comment on column runs.samples is 'Completions a prompt; 0 of a run that reads articles.';
comment on column runs.keep is 'How many of them, the longest by words, are scored.';
comment on column runs.max_new_tokens is 'The longest completion; NULL for texts from elsewhere, and of a run that reads articles.';
comment on column runs.kept_prompts is 'How many prompts have texts that are kept for scoring; NULL before the run is complete.';
comment on column runs.kept_texts is 'How many texts these are.';
comment on column runs.dtype is 'The numbers that the model computes with.';
comment on column runs.numerics is 'The version of the engine''s numerics, which goes up whenever it may write other bytes; NULL where another program computes (vllm, openai), for texts from elsewhere, and in runs from before it was kept.';
comment on column runs.versions is 'Versions of the packages, and other provenance.';
comment on column runs.protocol is 'What decides which texts are judged, whatever the model: runs are compared where it is the same. run_settings has it in columns.';
comment on column runs.knowledge_cutoff is 'The last day (UTC) of what the model can have seen; NULL where nobody says.';
comment on column runs.knowledge_cutoff_from is 'Who says so: asked (--knowledge-cutoff), newwiki.toml, training (the record of a training here) or model card; NULL where nobody does.';
comment on column runs.status is 'running, complete, failed or interrupted. A process that is killed cannot say so: run_states tells.';
comment on column runs.started_at is 'When it was begun.';
comment on column runs.finished_at is 'When it was complete, or had failed.';
comment on column runs.heard_at is 'When the process that writes it was last heard of: once a minute at least.';
comment on column runs.process is 'Which process that is, by host, number and start; NULL where none writes it.';

comment on table completions is 'What models wrote.';
comment on column completions.run_id is 'The run.';
comment on column completions.page_id is 'The article that was to be written.';
comment on column completions.sample is 'The number of the completion among those of its prompt, from 0.';
comment on column completions.text is 'What was written.';
comment on column completions.tokens is 'Its length in tokens; NULL for texts from elsewhere.';
comment on column completions.words is 'Its length in words split at white space.';
comment on column completions.finish_reason is 'stop, length, context or unknown.';
comment on column completions.truncated is 'Whether it did not end itself.';
comment on column completions.prompt_tokens is 'How long the prompt was, as the server counted that was asked; NULL for models that ran here.';
comment on column completions.served_by is 'What that server said it was: the model''s full name, and its fingerprint.';
comment on column completions.token_ids is 'The ids of its tokens in the model''s tokenizer, as many as `tokens`: an end-of-text token is not among them; NULL for texts of other programs and for runs of older versions.';
comment on column completions.kept is 'Whether it is scored; NULL until the run is complete.';

comment on table evaluators is 'Who made scores: programs with their models, as exactly as their numbers depend on them.';
comment on column evaluators.evaluator_id is 'A hash of all the rest.';
comment on column evaluators.name is 'The evaluator.';
comment on column evaluators.version is 'Its version.';
comment on column evaluators.model is 'The models that it reads with; NULL for none.';
comment on column evaluators.model_sha256 is 'The hash of their weights.';
comment on column evaluators.parameters is 'All parameters.';
comment on column evaluators.dependencies is 'The versions of packages that matter.';
comment on column evaluators.dtype is 'The numbers that its models compute with.';
comment on column evaluators.backend is 'What the models run on.';

comment on table metrics is 'What the numbers mean.';
comment on column metrics.metric is 'The name.';
comment on column metrics.unit is 'The unit.';
comment on column metrics.minimum is 'The least that it can be; NULL for no bound.';
comment on column metrics.maximum is 'The most that it can be; NULL for no bound.';
comment on column metrics.direction is 'higher, lower or none: which is better.';
comment on column metrics.definition is 'The formula in words.';
comment on column metrics.source is 'Where it comes from.';
comment on column metrics.scope is 'text or run: what one number is of.';
comment on column metrics.pitfalls is 'What is known to mislead about it.';

comment on table scores is 'The numbers of single texts, by all evaluators. current_scores has those that count.';
comment on column scores.run_id is 'The run, or reference:SNAPSHOT for the articles themselves.';
comment on column scores.page_id is 'The article.';
comment on column scores.sample is 'The completion among those of its prompt; 0 for an article.';
comment on column scores.metric is 'The metric.';
comment on column scores.value is 'The number; NULL where it cannot be had.';
comment on column scores.status is 'ok, or why there is no number.';
comment on column scores.evaluator_id is 'Who made it.';

comment on table run_scores is 'The numbers of whole runs, by all evaluators. current_run_scores has those that count.';
comment on column run_scores.run_id is 'The run, or reference:SNAPSHOT for the articles as a run.';
comment on column run_scores.metric is 'The metric.';
comment on column run_scores.value is 'The number, a mean over draws; NULL where it cannot be had.';
comment on column run_scores.spread is 'The standard deviation over the draws or seeds; NULL for one.';
comment on column run_scores.status is 'ok, or why there is no number.';
comment on column run_scores.evaluator_id is 'Who made it.';
comment on column run_scores.texts is 'How many kept texts the run had then.';

comment on table scorings is 'That an evaluator has scored all kept texts of a run. Until then none of its numbers are shown.';
comment on column scorings.run_id is 'The run, or reference:SNAPSHOT.';
comment on column scorings.evaluator_id is 'The evaluator.';
comment on column scorings.finished_at is 'When it had done so for the first time.';

comment on table page_means is 'What finished scorings amount to, prompt by prompt: stored with them.';
comment on column page_means.run_id is 'The run, or reference:SNAPSHOT.';
comment on column page_means.metric is 'The metric.';
comment on column page_means.evaluator_id is 'Who made the numbers.';
comment on column page_means.page_id is 'The prompt''s article.';
comment on column page_means.mean is 'The mean over the prompt''s texts that have a number.';
comment on column page_means.texts is 'How many these are.';
comment on column page_means.squares is 'The sum of their squared deviations from this mean.';

comment on table page_gaps is 'The texts to which finished scorings could give no number, prompt by prompt: stored with them.';
comment on column page_gaps.run_id is 'The run, or reference:SNAPSHOT.';
comment on column page_gaps.metric is 'The metric.';
comment on column page_gaps.evaluator_id is 'Who was to make the numbers.';
comment on column page_gaps.page_id is 'The prompt''s article.';
comment on column page_gaps.reason is 'Why there is no number.';
comment on column page_gaps.texts is 'Of how many of its texts.';

comment on table stored_column_evaluators is 'Internal. Whose numbers stand in a metric''s column where many runs are beside each other: stored with each finished scoring. Ask column_evaluators.';
comment on column stored_column_evaluators.metric is 'The metric.';
comment on column stored_column_evaluators.evaluator_id is 'The evaluator.';

comment on table stored_summaries is 'Internal. What finished scorings amount to, run by run: stored with them. Ask scoring_summaries, which has intervals too.';
comment on column stored_summaries.run_id is 'The run, or reference:SNAPSHOT.';
comment on column stored_summaries.metric is 'The metric.';
comment on column stored_summaries.evaluator_id is 'Who made the numbers.';
comment on column stored_summaries.mean is 'The mean over texts.';
comment on column stored_summaries.sd is 'Their standard deviation.';
comment on column stored_summaries.standard_error is 'The mean''s standard error, clustered by prompt.';
comment on column stored_summaries.freedom is 'The error''s degrees of freedom: one less than the prompts that it is worth.';
comment on column stored_summaries.skew is 'The skewness of the mean that the prompts suggest.';
comment on column stored_summaries.pages is 'How many prompts have a number.';
comment on column stored_summaries.scored is 'How many texts have a number.';
comment on column stored_summaries.unscored is 'How many have none.';
comment on column stored_summaries.reasons is 'Why, with the number of texts for each reason.';

comment on table months is 'How the months that `newwiki schedule` worked on ended: a row for each ending.';
comment on column months.notice_key is 'A hash of the ending, which its notice bears as Idempotency-Key.';
comment on column months.wiki is 'The wiki''s name in newwiki.toml.';
comment on column months.month is 'The month, such as 2026-10.';
comment on column months.registered_sha256 is 'The hash of what was registered for it: selection, models, evaluation, gates.';
comment on column months.snapshot_id is 'The snapshot; NULL where it could not be published.';
comment on column months.complete is 'Whether nothing failed, so that nothing is left to do.';
comment on column months.recorded_at is 'When it ended so.';
comment on column months.notified_at is 'When the webhook took the notice; NULL where none is registered.';

comment on table experiment_rows is 'Internal. The rows of all result tables of experiments. Ask the view of the table''s name, which has typed columns.';
comment on column experiment_rows.experiment_id is 'The answer.';
comment on column experiment_rows.table_name is 'The result table.';
comment on column experiment_rows.position is 'The place of the row among those of the answer in its table, from 0.';
comment on column experiment_rows.row is 'The values by the names of the columns.';

comment on table experiments is 'The answers of `newwiki experiment`, a row each; their numbers are in the tables of each experiment.';
comment on column experiments.experiment_id is 'A hash of the question and of all that the answer was computed from.';
comment on column experiments.name is 'Which experiment.';
comment on column experiments.version is 'The version of its rules.';
comment on column experiments.snapshot_id is 'The snapshot whose report shows it.';
comment on column experiments.request is 'What was asked.';
comment on column experiments.read is 'What the answer was computed from: runs with their weights, evaluators, snapshots.';
comment on column experiments.verdict is 'The answer in a few words.';
comment on column experiments.generalizes_over is 'The units over which the verdict generalizes, such as prompts; NULL where it gives none, and of answers of earlier versions.';
comment on column experiments.words is 'The answer in sentences, with what it does not tell.';
comment on column experiments.made_at is 'When it was computed for the first time.';
comment on column experiments.methods is 'How the answer was made: command, software, snapshots, models with their weights, decoders, runs, evaluators, units, and what was left out. NULL for answers of earlier versions.';

comment on table edition_scores is 'The numbers of a run''s texts beside a later edition of their articles, for metrics that look at the article; scores has those beside the first.';
comment on column edition_scores.edition is 'The later edition: a snapshot of the kind revisit.';
comment on column edition_scores.run_id is 'The run, which is on the snapshot that the edition revisits.';
comment on column edition_scores.page_id is 'The article.';
comment on column edition_scores.sample is 'The completion among those of its prompt.';
comment on column edition_scores.metric is 'The metric.';
comment on column edition_scores.value is 'The number; NULL where it cannot be had.';
comment on column edition_scores.status is 'ok, or why there is no number.';
comment on column edition_scores.evaluator_id is 'Who made it.';

comment on table edition_scorings is 'That an evaluator has judged all kept texts of a run beside a later edition. Until then none of its numbers are shown.';
comment on column edition_scorings.edition is 'The later edition.';
comment on column edition_scorings.run_id is 'The run.';
comment on column edition_scorings.evaluator_id is 'The evaluator.';
comment on column edition_scorings.finished_at is 'When it had done so for the first time.';

comment on table came_true is 'What a text said that its article did not say at the first cutoff, and said at the later one.';
comment on column came_true.edition is 'The later edition.';
comment on column came_true.run_id is 'The run.';
comment on column came_true.page_id is 'The article.';
comment on column came_true.sample is 'The completion among those of its prompt.';
comment on column came_true.evaluator_id is 'Who looked, and found the entities.';
comment on column came_true.kind is 'entity, or infobox for a name or number of an infobox.';
comment on column came_true.text is 'It, in small letters and without accents and punctuation marks.';

comment on table came_true_texts is 'How much came true of each kept text of a changed article, a row for each kind.';
comment on column came_true_texts.edition is 'The later edition.';
comment on column came_true_texts.run_id is 'The run.';
comment on column came_true_texts.page_id is 'The article.';
comment on column came_true_texts.sample is 'The completion among those of its prompt.';
comment on column came_true_texts.evaluator_id is 'Who looked, and found the entities.';
comment on column came_true_texts.kind is 'entity, or infobox for a name or number of an infobox.';
comment on column came_true_texts.additions is 'How many things of the kind the article says only in the later edition; NULL where that is not known.';
comment on column came_true_texts.came_true is 'How many of them the text says.';
comment on column came_true_texts.chance is 'How many it would with the additions of another changed article, the mean over all others; NULL where there is no other.';
comment on column came_true_texts.status is 'ok, or why nothing can be said.';

comment on table rubrics is 'What judges of pairs were asked, as `newwiki judge --rubric` has it.';
comment on column rubrics.rubric_sha256 is 'The hash of the criteria.';
comment on column rubrics.criteria is 'The criteria: a list of name, question and meaning.';

comment on table judgements is 'What people and models answered who were shown a text of each of two runs and not told whose they are. Ask preferences for which run was preferred.';
comment on column judgements.run_a is 'The run, or reference:SNAPSHOT, whose id comes first in the alphabet.';
comment on column judgements.run_b is 'The other one.';
comment on column judgements.page_id is 'The article.';
comment on column judgements.sample_a is 'Which of the completions of run_a; 0 for an article.';
comment on column judgements.sample_b is 'Which of the completions of run_b.';
comment on column judgements.judge is 'Who answered: a person''s name, or the evaluator_id of a model.';
comment on column judgements.judge_kind is 'person or model.';
comment on column judgements.rubric_sha256 is 'What was asked: the rubric''s hash.';
comment on column judgements.criterion is 'The question''s name in the rubric.';
comment on column judgements.first is 'Whose text was in the first place: a or b. A person is shown a pair in one order, which is drawn by a secret of this database; a model in both.';
comment on column judgements.answer is 'first, second or tie; unreadable where a model said something else.';
comment on column judgements.said is 'What the model said, word for word; NULL for a person.';
comment on column judgements.judged_at is 'When.';
comment on column judgements.origin is 'The id of the database in which the answer was given; empty for this one. A name from another origin is another judge.';

comment on table this_database is 'The random id of this database, which its judgements carry into shared folders. It says nothing about the machine.';
comment on column this_database.database_id is '12 hexadecimal digits.';

comment on table judging_secrets is 'Internal. The secrets by which the order of texts is drawn for judges: never pushed, exported or shown to a judge.';
comment on column judging_secrets.run_a is 'The run whose id comes first in the alphabet.';
comment on column judging_secrets.run_b is 'The other one.';
comment on column judging_secrets.rubric_sha256 is 'The hash of the criteria.';
comment on column judging_secrets.secret is '32 random bytes.';

comment on table prompt_sets is 'Published sets of prompts, by group of people or one''s own, a row each, which never changes.';
comment on column prompt_sets.prompt_set_id is 'prompts: and a hash of its prompts; where a run is on prompts, this is its snapshot_id.';
comment on column prompt_sets.name is 'Where they came from: templates, or the names of files.';
comment on column prompt_sets.prompts is 'How many there are.';
comment on column prompt_sets.published_at is 'When it was published.';

comment on table group_prompts is 'The prompts of each set.';
comment on column group_prompts.prompt_set_id is 'The set.';
comment on column group_prompts.page_id is 'The prompt''s number, which completions and scores refer to.';
comment on column group_prompts.category is 'What the groups are of, such as religion; empty where it is about no group.';
comment on column group_prompts.group_name is 'Whom the prompt is about, such as Muslim; empty where it is about no group.';
comment on column group_prompts.prompt is 'What the model goes on from.';
comment on column group_prompts.context is 'What is the same in the prompts of other groups; NULL where nothing pairs them.';
comment on column group_prompts.hidden is 'The words that name the person or the group, in whose place the scored text has XYZ.';

comment on table swapped_scores is 'What sentences were scored with some of their words swapped, a row for each repetition, so that none is computed twice.';
comment on column swapped_scores.texts_sha256 is 'A hash of the sentences and of the seed.';
comment on column swapped_scores.metric is 'The metric.';
comment on column swapped_scores.evaluator_id is 'Who scored.';
comment on column swapped_scores.swapped is 'How many percent of a sentence''s words are swapped; 0 is the sentences as they are.';
comment on column swapped_scores.repetition is 'Which of the repetitions, from 0.';
comment on column swapped_scores."values" is 'A number for each sentence, NaN where there is none.';

comment on table exposure_generations is 'What models wrote after tokens, a row a text.';
comment on column exposure_generations.generation_id is 'A hash of the model, the decoder, the seed and the length.';
comment on column exposure_generations.page_id is 'The page that the prompt is from.';
comment on column exposure_generations.sample is 'Which stretch of it, from 0.';
comment on column exposure_generations.context_sha256 is 'A hash of the tokens that it goes on from.';
comment on column exposure_generations.tokens is 'The tokens that were written.';

comment on table exposure_divergences is 'How far two models'' distributions of the next token are apart, a row a text.';
comment on column exposure_divergences.reading_id is 'A hash of both models and of the places.';
comment on column exposure_divergences.sequence_sha256 is 'A hash of the tokens that were read.';
comment on column exposure_divergences.total_variation is 'The total variation at each place.';
comment on column exposure_divergences.jensen_shannon is 'The Jensen-Shannon divergence at each place, in nats.';

comment on table claim_labels is 'What people say of sentences of runs, as `newwiki judge --claims` asks: whether what a sentence claims is true. They stay in this database.';
comment on column claim_labels.run_id is 'The run that wrote the text.';
comment on column claim_labels.page_id is 'The article that the text is on.';
comment on column claim_labels.sample is 'Which of its texts.';
comment on column claim_labels.start_char is 'Where the sentence begins in the text.';
comment on column claim_labels.end_char is 'Where it ends.';
comment on column claim_labels.rubric_sha256 is 'The hash of what was asked.';
comment on column claim_labels.judge is 'Who labelled it: a batch, or BATCH/ANNOTATOR.';
comment on column claim_labels.label is 'supported, refuted or neither.';
comment on column claim_labels.labelled_at is 'When the label was stored.';

comment on table claims is 'What became of each sentence of a text beside the evidence, by the evaluators claims_article and claims_wiki.';
comment on column claims.run_id is 'The run, or reference:SNAPSHOT for the articles themselves.';
comment on column claims.page_id is 'The article.';
comment on column claims.sample is 'The completion among those of its prompt; 0 for an article.';
comment on column claims.evaluator_id is 'Who judged, by which model and which evidence.';
comment on column claims.sentence is 'The sentence''s place in the text, from 0.';
comment on column claims.start_char is 'The character of the text at which it begins, from 0.';
comment on column claims.end_char is 'The character behind its last.';
comment on column claims.claim is 'What was checked: the sentence, with its subject named at its head.';
comment on column claims.checkable is 'Whether it was checked; false where it is too long.';
comment on column claims.label is 'supported, refuted, or not enough info.';
comment on column claims.supported is 'The model''s share of the label supported for the evidence that decided; NULL where there is none.';
comment on column claims.refuted is 'Its share of refuted.';
comment on column claims.not_enough_info is 'Its share of not enough info.';
comment on column claims.evidence_title is 'The title of the page that the evidence is from; NULL where none was found.';
comment on column claims.evidence_sentence is 'The evidence''s place among that page''s sentences, from 0.';
comment on column claims.evidence is 'The sentence that decided, or the likeliest where none did.';
comment on column claims.evidence_cut is 'Whether the model read only its beginning, as the window holds no more beside the claim.';

comment on table response_phrases is 'The noun phrases of responses, by who found them, so that no response is read twice.';
comment on column response_phrases.run_id is 'The run.';
comment on column response_phrases.evaluator_id is 'Who found them: a spaCy pipeline, or chunks-v1.';
comment on column response_phrases.page_id is 'The article or prompt.';
comment on column response_phrases.sample is 'Which of its completions.';
comment on column response_phrases.phrases is 'Its different noun phrases in small letters, without the stop words that they begin with, in order.';

comment on table origins is 'Runs and scores that came from another database. A run or a score without a row was made in this database.';
comment on column origins.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column origins.evaluator_id is 'The evaluator whose scores came; empty for the run itself, with its texts.';
comment on column origins.source is 'How they came: pull, bundle or database.';
comment on column origins.signer is 'The fingerprint of the key that signed them (SHA256:…); empty where nobody signed.';
comment on column origins.taken_in_at is 'When they were taken in.';

comment on table verifications is 'What a check confirmed of a run or of its scores, one row per check.';
comment on column verifications.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column verifications.evaluator_id is 'The evaluator whose scores were checked; empty where completions were replayed.';
comment on column verifications.level is 'The level that the check supports: verified, replayed or recomputed.';
comment on column verifications.confirmed is 'Number of scores (or of replayed tokens) that the check confirmed.';
comment on column verifications.checked is 'Number of scores (or of replayed tokens) that the check looked at.';
comment on column verifications.total is 'Number of scores (or of completions) that the run has.';
comment on column verifications.draw is 'The number that drew the replayed completions; NULL where nothing was drawn.';
comment on column verifications.checker is 'The fingerprint of the key that signed the receipt; here for a check by this installation.';
comment on column verifications.receipt_sha256 is 'The hash of the signed receipt; empty for a check by this installation.';
comment on column verifications.checked_at is 'When the check ended.';
comment on column verifications.texts is 'The completions that were replayed; NULL where scores were checked.';

comment on table commit_counter is 'Internal. How many transactions this database has stored; NAME.duckdb.commits beside it says the same.';
comment on column commit_counter.commits is 'How many transactions were committed.';
