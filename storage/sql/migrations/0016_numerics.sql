-- Which version of the engine's numerics wrote a run: NULL where another program computes, and in runs from before.
alter table runs add column numerics bigint;
