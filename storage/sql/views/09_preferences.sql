-- What was answered, as the run that was preferred.
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

comment on view preferences is 'Which run''s text each judge preferred of a pair, by criterion.';
comment on column preferences.run_a is 'The run, or reference:SNAPSHOT, whose id comes first in the alphabet.';
comment on column preferences.run_b is 'The other one.';
comment on column preferences.page_id is 'The article.';
comment on column preferences.sample_a is 'Which of the completions of run_a; 0 for an article.';
comment on column preferences.sample_b is 'Which of the completions of run_b.';
comment on column preferences.judge is 'Who answered: a person''s name, or the evaluator_id of a model.';
comment on column preferences.judge_kind is 'person or model.';
comment on column preferences.judge_name is 'The person''s or the model''s name; if the answer was given in another database, with the beginning of its id.';
comment on column preferences.rubric_sha256 is 'What was asked: the rubric''s hash.';
comment on column preferences.criterion is 'The question''s name in the rubric.';
comment on column preferences.first is 'Whose text was in the first place: a or b.';
comment on column preferences.answer is 'first, second, tie or unreadable.';
comment on column preferences.preferred is 'The run that was preferred, or tie; NULL where the answer cannot be read.';
comment on column preferences.judged_at is 'When.';
comment on column preferences.origin is 'The id of the database in which the answer was given; empty for this one.';
