"""The page on which a person judges pairs of texts: one question at a time, each answer stored at once."""
