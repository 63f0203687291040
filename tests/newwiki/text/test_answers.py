"""An answer in Markdown becomes the prose that an article with the same contents has; prose stays as it is."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.text.answers import prose_of_answer
from newwiki.text.language import Language, load_language
from newwiki.text.prose import extract_prose

ARTICLES = Path(__file__).parents[4] / "shared" / "data" / "articles"
ENGLISH = load_language("en")
SIGNS = [
    "**", "*", "_", "`", "```\n", "# ", "## See also\n", "- ", "1. ", "2. ", "> ", "| ", "|---|\n", "[", "](", ")",
    "![", "[^1]", "[^1]: ", "[12]", "~~", "---\n", "===\n", "\\", "&amp;", "&#42;", "<b>", "</b>", "<ref>", "<!--",
    "-->", "$", "\\(", "\\)", "[[", "]]", "{{", "}}", "'''", "== H ==\n", "{|\n", "\n", "\n\n", "\r\n", " ",
    "Sure, here:\n", "word", "Sentence.", "Let me know if", "1984", "«", "東京", "🙂", "שלום", "\u200b", "\x00", "\x1a",
    "    ",
]  # fmt: skip

SENTENCE = ' abcXYZ 019 éß東京ابש,;:’"()–%&/.-!?+=>#@^—“”«»…'

MARKDOWN = """Sure! Here is an article about Ada:

# Ada Byron

**Ada Byron** was a *mathematician*, known for [her notes](https://wiki.example/notes) on `the engine`.[^1][2]

## Life

| Year | Place |
|------|-------|
| 1815 | London |

She lived in London<ref>Smith</ref> and died of <b>cancer</b>.<!-- check --> ![Her house](house.jpg)

**Early work**
She wrote one program:

- first step
- second step

```python
print("no prose")
```

---

> She saw more than numbers.

## See also

Charles Babbage and other people who worked on engines.

[^1]: Smith, J. Lives.

I hope this helps! Let me know if you need more."""
WIKITEXT = """= Ada Byron =
'''Ada Byron''' was a ''mathematician'', known for [https://wiki.example/notes her notes] on <code>the engine</code>.

== Life ==
{|
| 1815 || London
|}
She lived in London<ref>Smith</ref> and died of <b>cancer</b>.<!-- check --> [[File:House.jpg]]

=== Early work ===
She wrote one program:
* first step
<pre>print("no prose")</pre>
----
<blockquote>She saw more than numbers.</blockquote>

== See also ==
Charles Babbage and other people who worked on engines."""


def test_markdown_and_wikitext_of_the_same_article_are_the_same_prose() -> None:
    prose = prose_of_answer(MARKDOWN, ENGLISH)
    assert prose == extract_prose(WIKITEXT, ENGLISH) == prose_of_answer(WIKITEXT, ENGLISH)
    assert prose.split("\n\n") == [
        "Ada Byron was a mathematician, known for her notes on the engine.",
        "She lived in London and died of cancer.",
        "She wrote one program:",
        "She saw more than numbers.",
    ]


@pytest.mark.parametrize(
    "prose",
    [
        "", " ", "word", " He was born.\n\n\nThe next  one , too.\n", "\r\nHe was.\r\n\r\nShe.", "    In.\n\tText.",
        "5 * 3 * 2 and 5*3*2 and 2**3**4", "snake_case_name, a_b_ and __init__", "C# was the #1 hit", "#1 hit",
        "1984. It was a year.", "1984. It was.\n1985. It was.", "1. FC Köln won.", "3) the third",
        "<5 km\n>5 km", "a<b and c>d",
        "[sic] and [a] (b)", "$5 and $6, US$7 (US$8)", "C:\\new \\* \\_", "AT&T, AT&amp;T",
        "https://a.example/c_d_e?x=1&y=*2*", "https://a.example/_x_/*y*/z",
        "(*1780–†1820) and (*1800–†1878)", "50* runs and 60* runs", "List<String> f(*args)",
        "שלום \u200f_ עולם", "🙂 🏳️‍🌈", "~5 km",
        "x ''", "Here lies: a poet", "Surely, this is it:\nText.", "Let me know if you can.", "東京は*首都だ。",
    ],
)  # fmt: skip
def test_what_only_looks_like_markdown_stays(prose: str) -> None:
    assert prose_of_answer(prose, ENGLISH) == prose


@pytest.mark.parametrize(
    ("answer", "prose"),
    [
        ("He said **John Smi", "He said John Smi"),
        ("See [the label](http://exa", "See the label"),
        ("A town. ![its chur", "A town."),
        ("A town.\n\n| Year | Fi", "A town."),
        ("A town.\n\n```py\nx = 1", "A town."),
        ("A town.<!-- to be", "A town."),
        ("- one\n- two\nA town.", "A town."),
        ("| a | b |\n|---|---|\n| 1 | 2 |\nA town.", "A town."),
        ("A town.\n---\nA city.", "A town.\n\nA city."),
        ("History\n=======\nA town.", "A town."),
        ("**A bold sentence is prose.**", "A bold sentence is prose."),
        ("**1. History:**\n\nA *town*.", "A town."),
        ("1984. It **was**.", "1984. It was."),
        ("```markdown\n# A\n\nA **town**.\n```", "A town."),
        ("**Ada** is a [[town|city]] in {{lang|fr|Paris}}.\n\n## Notes\nGone.", "Ada is a city in Paris."),
        ("'''Ada'''.\n== Life ==\n**Ada** was.", "Ada.\n\nAda was."),
        ("It has $x^2$, \\(3 \\times 10^{8}\\) m and $5 or $6: \\[ a = b \\]", "It has, 3×10^8 m and $5 or $6:"),
        ("H<sub>2</sub>O ~~gone~~ &amp; ***both*** <https://a.example>", "H2O gone & both https://a.example"),
        ("Sure! A town.\n\n**x** y", "Sure! A town.\n\nx y"),
    ],
)
def test_each_construct_is_read_as_the_table_says(answer: str, prose: str) -> None:
    assert prose_of_answer(answer, ENGLISH) == prose


@pytest.mark.parametrize(
    ("code", "opening", "closing"),
    [
        ("en", "Here’s the continuation:", "Would you like me to go on?"),
        ("de", "Natürlich! Hier ist der Artikel:", "Lass mich wissen, ob es passt."),
        ("fr", "Bien sûr ! Voici l'article :", "N'hésitez pas à demander."),
        ("es", "¡Claro! Aquí está el artículo:", "Avísame si quieres más."),
        ("it", "Certo! Ecco la voce:", "Fammi sapere se va bene."),
        ("pt", "Claro! Aqui está o artigo:", "Espero que isso ajude."),
        ("nl", "Natuurlijk! Hier is het artikel:", "Laat me weten of dit goed is."),
        ("pl", "Oczywiście! Oto artykuł:", "Daj mi znać, czy to pomaga."),
        ("ru", "Конечно! Вот статья:", "Дайте знать, если нужно ещё."),
        ("ja", "もちろんです。以下は記事です：", "何かご質問があれば、お知らせください。"),
        ("zh", "当然！以下是条目：", "如果您需要更多内容，请告诉我。"),
    ],
)
def test_remarks_to_the_user_are_no_prose_in_any_language(code: str, opening: str, closing: str) -> None:
    language = load_language(code)
    assert prose_of_answer(f"**{opening}**\n\nA town.\n\nA city.\n\n*{closing}*\n", language) == "A town.\n\nA city."
    assert prose_of_answer(f"\n{opening}\r\nA town.\r\n\r\n{closing}", language) == "A town."
    assert prose_of_answer(closing, language) == closing


@given(st.lists(st.sampled_from(SIGNS), max_size=30).map("".join))
def test_cleaning_twice_is_cleaning_once(answer: str) -> None:
    prose = prose_of_answer(answer, ENGLISH)
    assert prose_of_answer(prose, ENGLISH) == prose


@given(st.lists(st.text(SENTENCE, min_size=1), max_size=8), st.sampled_from([" ", "\n\n", "\n", "\r\n"]))
def test_sentences_come_back_character_for_character(sentences: list[str], between: str) -> None:
    text = between.join(["", *(f"He{sentence}." for sentence in sentences)])
    assert prose_of_answer(text, ENGLISH) == text


@pytest.mark.skipif(not ARTICLES.is_dir(), reason="there are no articles to read")
def test_paragraphs_of_real_articles_stay() -> None:
    """All but some thirty of 2,000 articles, which hold lists, templates and code that the page's reader left."""
    texts = [text for file in sorted(ARTICLES.glob("*.json")) for text in json.loads(file.read_text("utf-8"))]
    changed = [text for text in texts if prose_of_answer(text, ENGLISH) != text]
    assert len(texts) == 2000 and len(changed) <= 40


def test_a_long_answer_takes_time_in_proportion_to_its_length(english: Language) -> None:
    signs = ["[", "![", "[a](", "***a", "> ", "- ", "`", "**", "$a", "<!--", "&amp;", "{{", "**a** ", "1. "]
    answers = [f"x{sign * (20_000 // len(sign))}" for sign in signs]
    answers += [" ".join("`" * count for count in range(300)), "".join(f"{'  ' * n}- a\n" for n in range(200))]
    answers += ["A plain paragraph, of 10 MB.\n\n" * 330_000]
    for answer in answers:
        start = time.process_time()
        prose_of_answer(answer, english)
        assert time.process_time() - start < 10, answer[:20]
