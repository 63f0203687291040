-- The comments of tables and their columns, which docs/sql.md and `duckdb_columns()` show. The files of views have the
-- comments of views.

comment on table snapshots is 'One row per published snapshot, the immutable test set of one window. The other tables refer to its id.';
comment on column snapshots.snapshot_id is 'The id of the snapshot, such as enwiki-2026-10.';
comment on column snapshots.wiki is 'The wiki''s database name, such as enwiki.';
comment on column snapshots.kind is 'new; old for articles that models may have seen; or revisit for the articles of another snapshot at a later cutoff.';
comment on column snapshots.window_start is 'The start of the window: the first moment at which an article of the snapshot can have been created.';
comment on column snapshots.window_end is 'The first moment after the window.';
comment on column snapshots.cutoff is 'The moment as of which the snapshot reads the wiki. Articles have the text that they had then.';
comment on column snapshots.parameters is 'All parameters that decide which articles are selected.';
comment on column snapshots.extractor_version is 'The version of the program that extracts prose from wikitext.';
comment on column snapshots.candidates is 'The number of candidates.';
comment on column snapshots.articles is 'The number of selected articles.';
comment on column snapshots.content_sha256 is 'The hash of the articles, the parameters and the extractor version.';
comment on column snapshots.published_at is 'The time of publication.';
comment on column snapshots.language is 'The language of the articles; NULL for snapshots that were published before this column existed.';
comment on column snapshots.licence is 'The license of the articles, in the wiki''s words; NULL if the source does not state it, such as a dump.';
comment on column snapshots.licence_url is 'The address of the license text; NULL if the source does not state it.';

comment on table requests is 'One row per snapshot and kind of request: the requests that a refresh sent to the wiki, over all its attempts.';
comment on column requests.snapshot_id is 'The snapshot that was made from the answers.';
comment on column requests.kind is 'The kind of request.';
comment on column requests.requests is 'The number of requests, retries included.';
comment on column requests.retries is 'The number of retries.';
comment on column requests.bytes is 'The number of bytes received, compressed and without headers.';
comment on column requests.seconds is 'The seconds until the answers arrived, waits included.';

comment on table candidates is 'One row per candidate of a snapshot: a page that was considered, with the verdict on it.';
comment on column candidates.snapshot_id is 'The snapshot.';
comment on column candidates.page_id is 'The page id in MediaWiki.';
comment on column candidates.title is 'The title of the page at the cutoff.';
comment on column candidates.created_at is 'The time at which the first revision of the page was saved.';
comment on column candidates.rev_id is 'The id of the revision that was judged; NULL if there is none.';
comment on column candidates.revisions is 'The number of revisions of the page at the cutoff, counted only up to the requested maximum; NULL if they were not counted.';
comment on column candidates.words is 'The number of words of prose; NULL if no text was read.';
comment on column candidates.verdict is 'selected, or the rule that dropped the page.';
comment on column candidates.detail is 'Details of the verdict.';
comment on column candidates.origin is 'original, translation or split, according to the edit that created the page; NULL for snapshots that were published before this column existed.';

comment on table stored_articles is 'Internal. One row per article of a snapshot, as published. Query the view articles instead, which adds topics.';
comment on column stored_articles.snapshot_id is 'The snapshot.';
comment on column stored_articles.page_id is 'The page id in MediaWiki.';
comment on column stored_articles.rev_id is 'The id of the revision that was current at the cutoff.';
comment on column stored_articles.title is 'The title of the article.';
comment on column stored_articles.created_at is 'The time at which the first revision of the article was saved.';
comment on column stored_articles.revised_at is 'The time at which this revision was saved.';
comment on column stored_articles.revisions is 'The number of revisions of the article at the cutoff, counted only up to the requested maximum.';
comment on column stored_articles.words is 'The number of words of prose.';
comment on column stored_articles.first_sentence is 'The first sentence of the article, which is part of the prompt.';
comment on column stored_articles.completion is 'All prose after the first sentence: the reference.';
comment on column stored_articles.text_sha256 is 'The hash of the first sentence and the completion.';
comment on column stored_articles.permalink is 'The address of this revision.';
comment on column stored_articles.headings is 'A list of [level, title, offset]. The offset is the position, in characters of the prose, at which the text below the heading begins.';
comment on column stored_articles.sha1 is 'The SHA-1 hash of the wikitext in hexadecimal digits, as MediaWiki gives it; NULL for snapshots that were published before this column existed.';

comment on table article_structure is 'One row per article: counts of its elements other than prose. Articles of snapshots that were published before this table existed have no row, nor do pages that are too large.';
comment on column article_structure.snapshot_id is 'The snapshot.';
comment on column article_structure.page_id is 'The article.';
comment on column article_structure.structure_version is 'The version of the program that counted the elements.';
comment on column article_structure.infoboxes is 'The number of infoboxes.';
comment on column article_structure.citations is 'The number of citations, which are the rows in article_citations.';
comment on column article_structure.templates is 'The templates that the article calls, with the number of calls of each.';
comment on column article_structure.links is 'The number of links to pages of the wiki.';
comment on column article_structure.images is 'The number of images: links to files, lines of galleries, file names in infoboxes.';
comment on column article_structure.sections is 'The number of headings of any level.';
comment on column article_structure.holes is 'The number of templates in the running text whose text is missing from the prose; NULL if an older version stored the article.';
comment on column article_structure.hole_templates is 'The names of these templates, with the number of holes of each; <math> and other tags stand among them. NULL where holes is NULL.';
comment on column article_structure.tags is 'The number of maintenance templates, which are the rows in article_tags; NULL if the version that published the article did not read them.';

comment on table article_facts is 'One row per infobox parameter of an article that has a text.';
comment on column article_facts.snapshot_id is 'The snapshot.';
comment on column article_facts.page_id is 'The article.';
comment on column article_facts.infobox is 'The number of the infobox among those of the article, from 1.';
comment on column article_facts.template is 'The name of the infobox.';
comment on column article_facts.parameter is 'The name of the parameter.';
comment on column article_facts.value is 'The value of the parameter as a reader sees it. The items of a list are separated by "; ".';

comment on table article_citations is 'One row per citation of an article: each citation template, and each footnote without one.';
comment on column article_citations.snapshot_id is 'The snapshot.';
comment on column article_citations.page_id is 'The article.';
comment on column article_citations.place is 'The number of the citation in the article, from 1.';
comment on column article_citations.template is 'The citation template; NULL for a footnote without one.';
comment on column article_citations.host is 'The host of the citation''s address, without www.; NULL if the citation has no address.';
comment on column article_citations.date is 'The date of the citation as the article writes it; NULL if it has none.';

comment on table article_tags is 'One row per maintenance template of an article and kind: what editors of the wiki say of the article at the cutoff. A tag is their suspicion or request, and not a measurement.';
comment on column article_tags.snapshot_id is 'The snapshot.';
comment on column article_tags.page_id is 'The article.';
comment on column article_tags.place is 'The number of the row among those of the article, from 1, in the order of the page.';
comment on column article_tags.kind is 'machine_generated (editors suspect that a language model wrote it), copyright, deletion, hoax or under_construction, by the language''s data file.';
comment on column article_tags.template is 'The name of the template.';
comment on column article_tags.written is 'The beginning of the call as the page writes it.';

comment on table deletions is 'One row per article that no longer exists in a later edition: what the wiki''s deletion log says of it.';
comment on column deletions.snapshot_id is 'The later edition, as in editions.edition.';
comment on column deletions.page_id is 'The article.';
comment on column deletions.deleted_at is 'The time of the last deletion, which may be after the edition''s cutoff; NULL if it is unknown.';
comment on column deletions.comment is 'The comment of the deletion as it is in the log; NULL if it is unknown.';
comment on column deletions.route is 'How it was deleted, as far as the comment says so: speedy, proposed or discussion; NULL if the comment does not.';
comment on column deletions.criterion is 'The criterion for speedy deletion that the comment names, such as G15; NULL if it names none.';
comment on column deletions.kinds is 'What it was deleted for, as far as the comment says so: machine_generated, copyright, hoax; empty if the comment does not, NULL without a comment.';
comment on column deletions.status is 'ok, or the reason why the time or the comment is unknown.';

comment on table snapshot_templates is 'One row per template whose wikitext decided about the text of an article: it fills a hole that no rule of the program fills, or could not. Redirects are rows of their own.';
comment on column snapshot_templates.snapshot_id is 'The snapshot.';
comment on column snapshot_templates.title is 'The title of the template, without its namespace.';
comment on column snapshot_templates.rev_id is 'The revision at the cutoff.';
comment on column snapshot_templates.sha1 is 'The SHA-1 of the wikitext, as MediaWiki has it.';
comment on column snapshot_templates.wikitext is 'The wikitext of the revision.';

comment on table topics is 'One row per article whose topic was looked up in Wikidata.';
comment on column topics.snapshot_id is 'The snapshot.';
comment on column topics.page_id is 'The article.';
comment on column topics.wikibase_item is 'The Wikidata item of the article; NULL if it has none.';
comment on column topics.instance_of is 'The classes of which the item is an instance.';
comment on column topics.topic is 'The topic: the coarse type of the classes in instance_of; NULL if there is no class.';
comment on column topics.looked_up_at is 'The time of the look-up.';

comment on table novelty is 'One row per article: the earlier text that is most similar to it.';
comment on column novelty.snapshot_id is 'The snapshot.';
comment on column novelty.page_id is 'The article.';
comment on column novelty.nearest_title is 'The title of the most similar earlier text; NULL if no similarity reaches 0.1.';
comment on column novelty.nearest_snapshot_id is 'The snapshot of the most similar earlier text. It is the article''s own snapshot if both pages belong to the same refresh.';
comment on column novelty.similarity is 'The Jaccard index of the word 5-grams of both texts, from 0 to 1.';

comment on table snapshot_hashes is 'Internal. One row per snapshot and column of a table that belongs to it: a hash, which `newwiki snapshots verify` checks.';
comment on column snapshot_hashes.snapshot_id is 'The snapshot.';
comment on column snapshot_hashes.table_name is 'The name of the table.';
comment on column snapshot_hashes.column_name is 'The name of the column.';
comment on column snapshot_hashes.rows is 'The number of rows of the snapshot in the table when the hash was taken.';
comment on column snapshot_hashes.taken is 'When the hash was taken: at publication, at the look-up of topics, at a pull (newwiki sync pull), or at the migration of a snapshot that is older than these hashes.';
comment on column snapshot_hashes.taken_at is 'The time at which the hash was taken.';
comment on column snapshot_hashes.sha256 is 'The hash of the column''s values in the order of the table''s key, and of table_name, column_name, rows, taken and taken_at.';

comment on table anchor_scores is 'Internal. One row per anchor text and metric: the score. Query anchors instead, which has the means.';
comment on column anchor_scores.snapshot_id is 'The snapshot.';
comment on column anchor_scores.anchor is 'The kind of text: anchor:repeat, anchor:other, anchor:shuffled, anchor:half or anchor:article.';
comment on column anchor_scores.words is 'The length of the text in words. A text of a shorter article is shorter.';
comment on column anchor_scores.version is 'The version of the rules that make the texts, and whether the other article is of the same topic.';
comment on column anchor_scores.page_id is 'The article that the text is scored against.';
comment on column anchor_scores.metric is 'The metric.';
comment on column anchor_scores.evaluator_id is 'The evaluator that computed the score.';
comment on column anchor_scores.value is 'The score; NULL if there is none.';
comment on column anchor_scores.status is 'ok, or the reason why there is no score.';

comment on table hidden_runs is 'One row per run that is hidden from leaderboards, reports, sites and `newwiki browse` (`newwiki runs hide`). Its rows in the other tables stay.';
comment on column hidden_runs.run_id is 'The run.';
comment on column hidden_runs.hidden_at is 'The time at which the run was hidden.';

comment on table renamed_runs is 'One row per run and name that its model had before `newwiki runs rename`. A shared folder may know the run by a former name.';
comment on column renamed_runs.run_id is 'The run.';
comment on column renamed_runs.former_model is 'The former name of the model.';
comment on column renamed_runs.renamed_at is 'The time at which the model was renamed.';

comment on table ladder_scores is 'Internal. One row per text that `newwiki experiment metrics` made of an article, and metric: the score, so that an interrupted experiment goes on. Query metric_rungs instead, which has the means.';
comment on column ladder_scores.snapshot_id is 'The snapshot.';
comment on column ladder_scores.page_id is 'The article that the text is scored against.';
comment on column ladder_scores.texts_sha256 is 'A hash of the prompt and of all texts of the article.';
comment on column ladder_scores.text is 'The name of the text, such as replaced_25.';
comment on column ladder_scores.metric is 'The metric.';
comment on column ladder_scores.evaluator_id is 'The evaluator that computed the score.';
comment on column ladder_scores.value is 'The score; NULL if there is none.';
comment on column ladder_scores.status is 'ok, or the reason why there is no score.';

comment on table early_stops is 'One row per run that `newwiki verdict --until-sure` stopped before all of its prompts were written: the verdict, and why. Repeating its `newwiki evaluate` completes the run, and the row stays.';
comment on column early_stops.run_id is 'The run.';
comment on column early_stops.baseline is 'The run that it was judged against.';
comment on column early_stops.metrics is 'The metrics that decided, separated by commas.';
comment on column early_stops.seed is 'The random seed for the order of the prompts.';
comment on column early_stops.margin is 'The margin within which a difference does not matter; NULL without a margin.';
comment on column early_stops.prompts is 'The number of prompts that were written and scored.';
comment on column early_stops.looks is 'How often the verdict was looked at. Its error rate holds over all looks.';
comment on column early_stops.verdict is 'better, worse, different, within the margin or cannot tell.';
comment on column early_stops.reason is 'Why no more prompts were written.';
comment on column early_stops.sentence is 'The verdict in one sentence.';
comment on column early_stops.stopped_at is 'The time of the verdict.';

comment on table readings is 'One row per scored run whose model has also read the run''s articles: the likelihood run, whose scores count as scores of the run.';
comment on column readings.run_id is 'The run.';
comment on column readings.reading_run_id is 'The likelihood run of the same model on the same articles and prompts.';

comment on table reference_parts is 'Internal. One row per article and part, such as its entities, so that each model reads each article only once.';
comment on column reference_parts.snapshot_id is 'The snapshot.';
comment on column reference_parts.page_id is 'The article.';
comment on column reference_parts.part is 'The name of the part, such as entities or embedding.';
comment on column reference_parts.made_by is 'The hash of the model that made the part and of everything that changes its output.';
comment on column reference_parts.value is 'The part, in JSON.';

comment on table runs is 'One row per run: one model with one decoder on the prompts of one snapshot, or a likelihood run, which reads the articles.';
comment on column runs.run_id is 'The id of the run: a hash of everything that determines its completions.';
comment on column runs.snapshot_id is 'The snapshot; file:… for texts with references of their own.';
comment on column runs.model is 'The folder of the model, or its id on the Hugging Face Hub.';
comment on column runs.model_sha256 is 'The hash of the model''s weights, configuration and tokenizer. If only a server has the weights, served:… with a hash of name and address.';
comment on column runs.backend is 'The backend that ran the model: hf, seq2seq …; file for texts from elsewhere.';
comment on column runs.decoder is 'The decoder in canonical form; likelihood for a likelihood run.';
comment on column runs.decoder_short is 'The decoder in its short form, without default parameters.';
comment on column runs.decoder_parameters is 'The parameters of the decoder by name; for a likelihood run, the windows in which it reads.';
comment on column runs.prompt_template is 'The template of the prompts.';
comment on column runs.prompts is 'The number of prompts.';
comment on column runs.seed is 'The random seed; NULL for texts from elsewhere, and if nothing is drawn at random.';
comment on column runs.samples is 'The number of completions per prompt; 0 for a likelihood run.';
comment on column runs.keep is 'The number of completions per prompt, the longest by words, that are scored.';
comment on column runs.max_new_tokens is 'The maximum number of tokens per completion; NULL for texts from elsewhere, and for likelihood runs.';
comment on column runs.kept_prompts is 'The number of prompts that have kept texts; NULL until the run is complete.';
comment on column runs.kept_texts is 'The number of kept texts; NULL until the run is complete.';
comment on column runs.no_answers is 'The number of completions without an answer, which are never scored; completions.no_answer has the reasons. NULL until the run is complete.';
comment on column runs.truncated_texts is 'The number of kept texts that were cut off before their own end; NULL until the run is complete.';
comment on column runs.dtype is 'The data type in which the model computes.';
comment on column runs.numerics is 'The version of the engine''s numerics, which increases whenever the engine may write different bytes. NULL if another program computes (vllm, openai), for texts from elsewhere, and for runs made before this column existed.';
comment on column runs.versions is 'The versions of the packages, and other provenance.';
comment on column runs.protocol is 'The settings that decide which texts are scored, whatever the model. Only runs with the same protocol are compared. run_settings has the settings as columns.';
comment on column runs.knowledge_cutoff is 'The last day (UTC) to which the model''s training data can reach; NULL if nobody states it.';
comment on column runs.knowledge_cutoff_from is 'Where the knowledge cutoff is stated: asked (--knowledge-cutoff), newwiki.toml, training (the record of a training on this machine) or model card; NULL if nobody states it.';
comment on column runs.status is 'running, complete, failed, interrupted or stopped (by `newwiki verdict --until-sure`; early_stops says why). A killed process cannot update its status; run_states accounts for that.';
comment on column runs.started_at is 'The time at which the run started.';
comment on column runs.finished_at is 'The time at which the run was complete or had failed.';
comment on column runs.heard_at is 'The time of the last heartbeat of the process that writes the run, which sends one at least every minute.';
comment on column runs.process is 'The process that writes the run, by host, process number and start; NULL if no process writes it.';

comment on column runs.prompt_sheet is 'What the model was told, as a JSON object: its first prompt as rendered, the ids of its tokens, the BOS token, the text that begins the answer, the tokens that end it, the marks of thinking, and the date that a chat template got; for a server the fields of the first request. NULL for texts from elsewhere, and for runs of older versions.';

comment on table completions is 'One row per completion: a text that a model wrote after a prompt.';
comment on column completions.run_id is 'The run.';
comment on column completions.page_id is 'The article whose prompt the model completed.';
comment on column completions.sample is 'The number of the completion among those of its prompt, from 0.';
comment on column completions.text is 'The text of the completion, as the model wrote it: its answer, without its thinking.';
comment on column completions.tokens is 'The length of the answer in tokens, with the thinking if a server does not count it apart; NULL for texts from elsewhere.';
comment on column completions.words is 'The length of the scored text (prose, or else text) in words, split at white space.';
comment on column completions.finish_reason is 'Why the completion ended: stop, length, context or unknown.';
comment on column completions.truncated is 'Whether the completion was cut off before its own end.';
comment on column completions.prompt_tokens is 'The length of the prompt in tokens, as the server counted it; NULL for models that ran locally.';
comment on column completions.served_by is 'The server''s description of itself: the full name of the model, and its fingerprint; NULL for models that ran locally.';
comment on column completions.cached_tokens is 'The part of the prompt in tokens that the server had in its cache; NULL if the server does not say so.';
comment on column completions.thinking is 'What the model wrote before its answer, for a model that thinks; empty if its server hides it; NULL if it did not think. It is never scored.';
comment on column completions.thinking_tokens is 'The length of the thinking in tokens; NULL if the model did not think, or if its server does not count it.';
comment on column completions.thinking_ids is 'All token ids between the prompt and the answer, or the sentence that begins it; NULL if there are none, or if another program generated them.';
comment on column completions.no_answer is 'Why there is no answer, such as thinking that was not closed. Its text is empty and never scored. NULL for an answer.';
comment on column completions.prose is 'What is scored in place of the text: the text without markup, if the run cleans answers; else NULL.';
comment on column completions.token_ids is 'The ids of the completion''s tokens in the model''s tokenizer. There are as many as `tokens` says, because an end-of-text token is left out. NULL for texts of other programs, and for runs of older versions.';
comment on column completions.kept is 'Whether the completion is scored, as one of the longest answers to its prompt; NULL until the run is complete.';

comment on table evaluators is 'One row per evaluator that computed scores: the program, its models, and everything else that its scores depend on.';
comment on column evaluators.evaluator_id is 'The id of the evaluator: a hash of all other columns.';
comment on column evaluators.name is 'The name of the evaluator.';
comment on column evaluators.version is 'The version of the evaluator.';
comment on column evaluators.model is 'The models that the evaluator uses; NULL if it uses none.';
comment on column evaluators.model_sha256 is 'The hash of the weights of the evaluator''s models.';
comment on column evaluators.parameters is 'All parameters of the evaluator.';
comment on column evaluators.dependencies is 'The versions of the packages on which the scores depend.';
comment on column evaluators.dtype is 'The data type in which the models compute.';
comment on column evaluators.backend is 'The backend that runs the models.';

comment on table metrics is 'One row per metric: its unit, its range and its meaning.';
comment on column metrics.metric is 'The name of the metric.';
comment on column metrics.unit is 'The unit of the values.';
comment on column metrics.minimum is 'The smallest possible value; NULL if there is no bound.';
comment on column metrics.maximum is 'The largest possible value; NULL if there is no bound.';
comment on column metrics.direction is 'Which values are better: higher, lower or none.';
comment on column metrics.definition is 'The formula in words.';
comment on column metrics.source is 'The source of the definition.';
comment on column metrics.scope is 'What one value describes: text (a single text) or run (a whole run).';
comment on column metrics.pitfalls is 'Known ways in which the metric misleads.';

comment on table scores is 'One row per text, metric and evaluator: the scores of single texts. Use current_scores for one evaluator per run and metric.';
comment on column scores.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column scores.page_id is 'The article.';
comment on column scores.sample is 'The number of the completion among those of its prompt, from 0; 0 for an article.';
comment on column scores.metric is 'The metric.';
comment on column scores.value is 'The score; NULL if there is none.';
comment on column scores.status is 'ok, or the reason why there is no score.';
comment on column scores.evaluator_id is 'The evaluator that computed the score.';

comment on table run_scores is 'One row per run, metric and evaluator: the scores of whole runs. Use current_run_scores for one evaluator per run and metric.';
comment on column run_scores.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column run_scores.metric is 'The metric.';
comment on column run_scores.value is 'The score of the run, a mean over draws; NULL if there is none.';
comment on column run_scores.spread is 'The standard deviation over the draws or seeds; NULL if there is only one.';
comment on column run_scores.status is 'ok, or the reason why there is no score.';
comment on column run_scores.evaluator_id is 'The evaluator that computed the score.';
comment on column run_scores.texts is 'The number of kept texts of the run at the time of scoring.';

comment on table scorings is 'One row per run and evaluator that has scored all kept texts of the run. Scores of an unfinished scoring are not shown.';
comment on column scorings.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column scorings.evaluator_id is 'The evaluator.';
comment on column scorings.finished_at is 'The time at which the evaluator first finished scoring all kept texts.';

comment on table page_means is 'One row per prompt, metric and evaluator of a finished scoring: the mean score of the prompt''s texts. The rows are stored with the scoring.';
comment on column page_means.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column page_means.metric is 'The metric.';
comment on column page_means.evaluator_id is 'The evaluator that computed the scores.';
comment on column page_means.page_id is 'The article of the prompt.';
comment on column page_means.mean is 'The mean score of the prompt''s texts that have a score.';
comment on column page_means.texts is 'The number of the prompt''s texts that have a score.';
comment on column page_means.squares is 'The sum of the squared deviations of the scores of the prompt''s texts from their mean.';

comment on table page_gaps is 'One row per prompt, metric, evaluator and reason of a finished scoring: the texts without a score. The rows are stored with the scoring.';
comment on column page_gaps.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column page_gaps.metric is 'The metric.';
comment on column page_gaps.evaluator_id is 'The evaluator that scored the texts.';
comment on column page_gaps.page_id is 'The article of the prompt.';
comment on column page_gaps.reason is 'The reason why there is no score.';
comment on column page_gaps.texts is 'The number of the prompt''s texts without a score for this reason.';

comment on table stored_column_evaluators is 'Internal. One row per metric: the evaluator whose scores fill the metric''s column where many runs are listed together. Each finished scoring updates the rows. Query column_evaluators instead.';
comment on column stored_column_evaluators.metric is 'The metric.';
comment on column stored_column_evaluators.evaluator_id is 'The evaluator.';

comment on table stored_summaries is 'Internal. One row per run, metric and evaluator of a finished scoring: the summary of the scores. The rows are stored with the scoring. Query scoring_summaries instead, which adds intervals.';
comment on column stored_summaries.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column stored_summaries.metric is 'The metric.';
comment on column stored_summaries.evaluator_id is 'The evaluator that computed the scores.';
comment on column stored_summaries.mean is 'The mean score over texts.';
comment on column stored_summaries.sd is 'The standard deviation over texts.';
comment on column stored_summaries.standard_error is 'The standard error of the mean, clustered by prompt.';
comment on column stored_summaries.freedom is 'The degrees of freedom of the standard error: the effective number of prompts minus 1.';
comment on column stored_summaries.skew is 'The skewness of the mean, estimated from the prompts.';
comment on column stored_summaries.pages is 'The number of prompts that have a score.';
comment on column stored_summaries.scored is 'The number of texts that have a score.';
comment on column stored_summaries.unscored is 'The number of texts that have no score.';
comment on column stored_summaries.reasons is 'The reasons why texts have no score, with the number of texts for each reason.';

comment on table months is 'One row per result of a month that `newwiki schedule` worked on.';
comment on column months.notice_key is 'A hash of the result, which its notification carries as Idempotency-Key.';
comment on column months.wiki is 'The name of the wiki in newwiki.toml.';
comment on column months.month is 'The month, such as 2026-10.';
comment on column months.registered_sha256 is 'The hash of the settings that were registered for the month: selection, models, evaluation, gates.';
comment on column months.snapshot_id is 'The snapshot; NULL if it could not be published.';
comment on column months.complete is 'Whether nothing failed, so that no work is left.';
comment on column months.recorded_at is 'The time at which the month ended with this result.';
comment on column months.notified_at is 'The time at which the webhook accepted the notification; NULL if no webhook is registered.';

comment on table experiment_rows is 'Internal. One row per result row of an experiment, for all result tables. Query the view with the name of the table instead, which has typed columns.';
comment on column experiment_rows.experiment_id is 'The answer.';
comment on column experiment_rows.table_name is 'The name of the result table.';
comment on column experiment_rows.position is 'The position of the row among those of the answer in its table, from 0.';
comment on column experiment_rows.row is 'The values of the row, by column name.';

comment on table experiments is 'One row per answer of `newwiki experiment`. The result tables of each experiment have the numbers of the answer.';
comment on column experiments.experiment_id is 'The id of the answer: a hash of the question and of everything that the answer was computed from.';
comment on column experiments.name is 'The name of the experiment.';
comment on column experiments.version is 'The version of the experiment''s rules.';
comment on column experiments.snapshot_id is 'The snapshot whose report shows the answer.';
comment on column experiments.request is 'The settings with which the experiment was requested.';
comment on column experiments.read is 'The data that the answer was computed from: runs with their weights, evaluators, snapshots.';
comment on column experiments.verdict is 'The answer in a few words.';
comment on column experiments.generalizes_over is 'The units over which the verdict generalizes, such as prompts; NULL if the answer has none, and for answers of earlier versions.';
comment on column experiments.words is 'The answer in sentences, with its limitations.';
comment on column experiments.made_at is 'The time at which the answer was first computed.';
comment on column experiments.methods is 'How the answer was computed: command, software, snapshots, models with their weights, decoders, runs, evaluators, units, and what was left out. NULL for answers of earlier versions.';

comment on table edition_scores is 'One row per text, metric, evaluator and later edition: the score of the text against the later edition of its article. Only metrics that use the article have rows. scores has the scores against the first edition.';
comment on column edition_scores.edition is 'The later edition: a snapshot of kind revisit.';
comment on column edition_scores.run_id is 'The run, which is on the snapshot that the edition revisits.';
comment on column edition_scores.page_id is 'The article.';
comment on column edition_scores.sample is 'The number of the completion among those of its prompt, from 0.';
comment on column edition_scores.metric is 'The metric.';
comment on column edition_scores.value is 'The score; NULL if there is none.';
comment on column edition_scores.status is 'ok, or the reason why there is no score.';
comment on column edition_scores.evaluator_id is 'The evaluator that computed the score.';

comment on table edition_scorings is 'One row per later edition, run and evaluator that has scored all kept texts of the run against the edition. Scores of an unfinished scoring are not shown.';
comment on column edition_scorings.edition is 'The later edition.';
comment on column edition_scorings.run_id is 'The run.';
comment on column edition_scorings.evaluator_id is 'The evaluator.';
comment on column edition_scorings.finished_at is 'The time at which the evaluator first finished scoring all kept texts.';

comment on table came_true is 'One row per statement of a text that its article did not contain at the first cutoff, and contained at the later cutoff.';
comment on column came_true.edition is 'The later edition.';
comment on column came_true.run_id is 'The run.';
comment on column came_true.page_id is 'The article.';
comment on column came_true.sample is 'The number of the completion among those of its prompt, from 0.';
comment on column came_true.evaluator_id is 'The evaluator that found the entities and compared text and article.';
comment on column came_true.kind is 'entity, or infobox for a name or number from an infobox.';
comment on column came_true.text is 'The entity, name or number, in lower case and without accents and punctuation.';

comment on table came_true_texts is 'One row per kept text of a changed article and kind: how many additions of the article the text anticipated.';
comment on column came_true_texts.edition is 'The later edition.';
comment on column came_true_texts.run_id is 'The run.';
comment on column came_true_texts.page_id is 'The article.';
comment on column came_true_texts.sample is 'The number of the completion among those of its prompt, from 0.';
comment on column came_true_texts.evaluator_id is 'The evaluator that found the entities and compared text and article.';
comment on column came_true_texts.kind is 'entity, or infobox for a name or number from an infobox.';
comment on column came_true_texts.additions is 'The number of things of this kind that only the later edition of the article mentions; NULL if that is not known.';
comment on column came_true_texts.came_true is 'The number of the article''s additions that the text mentions.';
comment on column came_true_texts.chance is 'The number of additions of another changed article that the text mentions, averaged over all other changed articles; NULL if there is no other.';
comment on column came_true_texts.status is 'ok, or the reason why there are no counts.';

comment on table rubrics is 'One row per rubric: the questions that judges of pairs answer, as given to `newwiki judge --rubric`.';
comment on column rubrics.rubric_sha256 is 'The id of the rubric: a hash of its criteria.';
comment on column rubrics.criteria is 'The criteria: a list of name, question and meaning.';

comment on table judgements is 'One row per answer of a person or a model that compared a text of one run with a text of another, without knowing the runs. Query preferences for the run that was preferred.';
comment on column judgements.run_a is 'The first of the two runs by id, or reference:SNAPSHOT for the articles.';
comment on column judgements.run_b is 'The second of the two runs by id, or reference:SNAPSHOT for the articles.';
comment on column judgements.page_id is 'The article.';
comment on column judgements.sample_a is 'The number of the completion of run_a, from 0; 0 for an article.';
comment on column judgements.sample_b is 'The number of the completion of run_b, from 0; 0 for an article.';
comment on column judgements.judge is 'The judge: a person''s name, or the evaluator_id of a model.';
comment on column judgements.judge_kind is 'person or model.';
comment on column judgements.rubric_sha256 is 'The rubric, by the hash of its criteria.';
comment on column judgements.criterion is 'The name of the question in the rubric.';
comment on column judgements.first is 'The run whose text was shown first: a or b. A person sees a pair in one order, which is drawn with a secret of this database. A model sees both orders.';
comment on column judgements.answer is 'first, second or tie; unreadable if the model answered something else.';
comment on column judgements.said is 'The model''s answer, word for word; NULL for a person.';
comment on column judgements.judged_at is 'The time of the answer.';
comment on column judgements.origin is 'The id of the database in which the answer was given; empty for this database. The same name from another database counts as another judge.';

comment on table this_database is 'One row with the random id of this database. Its judgments carry the id into shared folders. The id reveals nothing about the machine.';
comment on column this_database.database_id is 'The id of this database: 12 hexadecimal digits.';

comment on table judging_secrets is 'Internal. One row per pair of runs and rubric: the secret that determines the order in which judges see the texts. It is never pushed, exported or shown to a judge.';
comment on column judging_secrets.run_a is 'The first of the two runs by id.';
comment on column judging_secrets.run_b is 'The second of the two runs by id.';
comment on column judging_secrets.rubric_sha256 is 'The rubric, by the hash of its criteria.';
comment on column judging_secrets.secret is '32 random bytes.';

comment on table prompt_sets is 'One row per published set of prompts: prompts about groups of people, or your own prompts. A published set never changes.';
comment on column prompt_sets.prompt_set_id is 'The id of the prompt set: prompts: and a hash of its prompts. Runs on the prompt set have it as their snapshot_id.';
comment on column prompt_sets.name is 'The source of the prompts: templates, or the names of files.';
comment on column prompt_sets.prompts is 'The number of prompts.';
comment on column prompt_sets.published_at is 'The time of publication.';

comment on table group_prompts is 'One row per prompt of a prompt set.';
comment on column group_prompts.prompt_set_id is 'The prompt set.';
comment on column group_prompts.page_id is 'The number of the prompt, to which completions and scores refer.';
comment on column group_prompts.category is 'The category of the group, such as religion; empty if the prompt is about no group.';
comment on column group_prompts.group_name is 'The group that the prompt is about, such as Muslim; empty if the prompt is about no group.';
comment on column group_prompts.prompt is 'The text of the prompt.';
comment on column group_prompts.context is 'The part of the prompt that prompts of other groups share; NULL if no prompts are paired by context.';
comment on column group_prompts.hidden is 'The words that name the person or the group. The scored text has XYZ in their place.';

comment on table swapped_scores is 'One row per repetition: the scores of sentences after some of their words were swapped. The rows are stored so that no score is computed twice.';
comment on column swapped_scores.texts_sha256 is 'A hash of the sentences and the seed.';
comment on column swapped_scores.metric is 'The metric.';
comment on column swapped_scores.evaluator_id is 'The evaluator that computed the scores.';
comment on column swapped_scores.swapped is 'The percentage of a sentence''s words that are swapped; 0 for the unchanged sentences.';
comment on column swapped_scores.repetition is 'The number of the repetition, from 0.';
comment on column swapped_scores."values" is 'One score per sentence; NaN if a sentence has none.';

comment on table exposure_generations is 'One row per text that a model wrote after a given sequence of tokens.';
comment on column exposure_generations.generation_id is 'The id of the generation: a hash of the model, the decoder, the seed and the length.';
comment on column exposure_generations.page_id is 'The page from which the prompt comes.';
comment on column exposure_generations.sample is 'The number of the stretch of the page, from 0.';
comment on column exposure_generations.context_sha256 is 'A hash of the tokens after which the model writes.';
comment on column exposure_generations.tokens is 'The tokens that the model wrote.';

comment on table exposure_divergences is 'One row per text: how far the next-token distributions of two models differ.';
comment on column exposure_divergences.reading_id is 'The id of the reading: a hash of both models and of the positions.';
comment on column exposure_divergences.sequence_sha256 is 'A hash of the tokens that the models read.';
comment on column exposure_divergences.total_variation is 'The total variation distance at each position.';
comment on column exposure_divergences.jensen_shannon is 'The Jensen-Shannon divergence at each position, in nats.';

comment on table claim_labels is 'One row per label that a person gave to a sentence of a run (`newwiki judge --claims`): whether the claim of the sentence is true. The labels stay in this database.';
comment on column claim_labels.run_id is 'The run.';
comment on column claim_labels.page_id is 'The article.';
comment on column claim_labels.sample is 'The number of the completion among those of its prompt, from 0.';
comment on column claim_labels.start_char is 'The position of the first character of the sentence in the text.';
comment on column claim_labels.end_char is 'The position at which the sentence ends in the text.';
comment on column claim_labels.rubric_sha256 is 'The hash of the question that was asked.';
comment on column claim_labels.judge is 'The source of the label: a batch, or BATCH/ANNOTATOR.';
comment on column claim_labels.label is 'supported, refuted or neither.';
comment on column claim_labels.labelled_at is 'The time at which the label was stored.';

comment on table claims is 'One row per sentence of a text and evaluator (claims_article or claims_wiki): the verdict on the claim of the sentence.';
comment on column claims.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column claims.page_id is 'The article.';
comment on column claims.sample is 'The number of the completion among those of its prompt, from 0; 0 for an article.';
comment on column claims.evaluator_id is 'The evaluator that gave the verdict, which determines the model and the evidence.';
comment on column claims.sentence is 'The number of the sentence in the text, from 0.';
comment on column claims.start_char is 'The position of the first character of the sentence in the text, from 0.';
comment on column claims.end_char is 'The position after the last character of the sentence in the text.';
comment on column claims.claim is 'The claim that was checked: the sentence, preceded by the name of its subject.';
comment on column claims.checkable is 'Whether the claim was checked; false if it is too long.';
comment on column claims.label is 'The verdict: supported, refuted, or not enough info.';
comment on column claims.supported is 'The model''s probability of the label supported, given the decisive evidence; NULL if there is no evidence.';
comment on column claims.refuted is 'The model''s probability of the label refuted, given the decisive evidence; NULL if there is no evidence.';
comment on column claims.not_enough_info is 'The model''s probability of the label not enough info, given the decisive evidence; NULL if there is no evidence.';
comment on column claims.evidence_title is 'The title of the page that contains the evidence; NULL if no evidence was found.';
comment on column claims.evidence_sentence is 'The number of the evidence among the sentences of that page, from 0; NULL if no evidence was found.';
comment on column claims.evidence is 'The sentence that decided the verdict, or the most likely sentence if none decided it; NULL if no evidence was found.';
comment on column claims.evidence_cut is 'Whether the model read only the beginning of the evidence, because its window has no room for more; NULL if no evidence was found.';

comment on table response_phrases is 'One row per response and program that found its noun phrases. The rows are stored so that no response is analyzed twice.';
comment on column response_phrases.run_id is 'The run.';
comment on column response_phrases.evaluator_id is 'The program that found the phrases: a spaCy pipeline, or chunks-v1.';
comment on column response_phrases.page_id is 'The article or prompt.';
comment on column response_phrases.sample is 'The number of the completion among those of its prompt, from 0.';
comment on column response_phrases.phrases is 'The distinct noun phrases of the response, in the order of their first mention, in lower case and without leading stop words.';

comment on table origins is 'One row per run or scoring that came from another database. A run or a scoring without a row was made in this database.';
comment on column origins.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column origins.evaluator_id is 'The evaluator whose scores were imported; empty for the run itself, with its texts.';
comment on column origins.source is 'How the data came: pull, bundle or database.';
comment on column origins.signer is 'The fingerprint of the key that signed the data (SHA256:…); empty if nobody signed them.';
comment on column origins.taken_in_at is 'The time of the import.';

comment on table verifications is 'One row per check of a run or of its scores: what the check confirmed.';
comment on column verifications.run_id is 'The run, or reference:SNAPSHOT for the articles.';
comment on column verifications.evaluator_id is 'The evaluator whose scores were checked; empty if completions were replayed.';
comment on column verifications.level is 'The level that the check supports: verified, replayed or recomputed.';
comment on column verifications.confirmed is 'The number of scores (or of replayed tokens) that the check confirmed.';
comment on column verifications.checked is 'The number of scores (or of replayed tokens) that the check looked at.';
comment on column verifications.total is 'The number of scores (or of completions) that the run has.';
comment on column verifications.draw is 'The number that drew the replayed completions; NULL if nothing was drawn.';
comment on column verifications.checker is 'The fingerprint of the key that signed the receipt; here for a check by this installation.';
comment on column verifications.receipt_sha256 is 'The hash of the signed receipt; empty for a check by this installation.';
comment on column verifications.checked_at is 'The time at which the check ended.';
comment on column verifications.texts is 'The completions that were replayed; NULL if scores were checked.';

comment on table commit_counter is 'Internal. One row with the number of transactions that this database has stored. The file NAME.duckdb.commits next to the database has the same number.';
comment on column commit_counter.commits is 'The number of committed transactions.';
