-- What is known to mislead about a metric.
alter table metrics add column pitfalls varchar default '';
