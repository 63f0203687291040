"""Copies of the site at other places: folders, buckets, and the Hugging Face Hub."""
