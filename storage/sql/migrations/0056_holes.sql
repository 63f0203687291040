-- The templates in the running text of an article whose text is missing; NULL for articles that were stored before.
alter table article_structure add column holes bigint;
alter table article_structure add column hole_templates struct(template varchar, holes bigint)[];
