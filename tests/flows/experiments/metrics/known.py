"""Metrics whose sight is known, as a user's plug-in."""

PLUGIN = '''
from newwiki import Metric, Unscorable, evaluator


def known(name, direction="higher"):
    return evaluator(metrics=[Metric(name, "share", None, None, direction, "d", "s")], version="1")


@known("words_of_article")
def words_of_article(analysis, reference):
    """Return the share of the article's words that stand in the text."""
    words = set(reference.words)
    return len(words & set(analysis.words)) / len(words)


@known("constant")
def constant(analysis, reference):
    return 0.5


@known("length_counter")
def length_counter(analysis, reference):
    return len(analysis.words)


@known("style_of_vowels", "none")
def style_of_vowels(analysis, reference):
    return sum(analysis.text.count(vowel) for vowel in "aeiou")


@known("unscorable")
def unscorable(analysis, reference):
    return Unscorable("nothing can be scored")
'''
METRICS = "words_of_article,constant,length_counter,style_of_vowels,unscorable"
