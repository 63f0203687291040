-- How far apart two numbers of these metrics can be; NULL where a metric declares no end.
select metric, maximum - minimum from metrics where metric in (select unnest(?));
