-- The decoder as people read it; storage/short_forms.py fills it.
alter table runs add column decoder_short varchar;
