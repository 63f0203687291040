-- The answers of judges, as the run that was preferred.
create or replace view preferences as
select
    run_a, run_b, page_id, sample_a, sample_b, judge, judge_kind,
    coalesce(model, judge) || if(origin = '', '', ' (from ' || left(origin, 8) || ')') as judge_name, rubric_sha256,
    criterion, first, answer,
    case
        when answer = 'tie' then 'tie'
        when answer in ('first', 'second') then if((answer = 'first') = (first = 'a'), run_a, run_b)
    end as preferred,
    judged_at, origin
from judgements
left join evaluators on judge_kind = 'model' and judge = evaluator_id;

comment on view preferences is 'One row per answer of a judge on a pair of texts and a criterion: which run''s text the judge preferred.';
comment on column preferences.run_a is 'The first of the two runs by id, or reference:SNAPSHOT for the articles.';
comment on column preferences.run_b is 'The second of the two runs by id, or reference:SNAPSHOT for the articles.';
comment on column preferences.page_id is 'The article.';
comment on column preferences.sample_a is 'The number of the completion of run_a, from 0; 0 for an article.';
comment on column preferences.sample_b is 'The number of the completion of run_b, from 0; 0 for an article.';
comment on column preferences.judge is 'The judge: a person''s name, or the evaluator_id of a model.';
comment on column preferences.judge_kind is 'person or model.';
comment on column preferences.judge_name is 'The name of the person or the model. If the answer was given in another database, the beginning of that database''s id follows.';
comment on column preferences.rubric_sha256 is 'The rubric, by the hash of its criteria.';
comment on column preferences.criterion is 'The name of the question in the rubric.';
comment on column preferences.first is 'The run whose text was shown first: a or b.';
comment on column preferences.answer is 'first, second, tie or unreadable.';
comment on column preferences.preferred is 'The run that was preferred, or tie; NULL if the answer is unreadable.';
comment on column preferences.judged_at is 'The time of the answer.';
comment on column preferences.origin is 'The id of the database in which the answer was given; empty for this database.';
