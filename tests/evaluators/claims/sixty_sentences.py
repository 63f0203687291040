"""Twelve invented pages of four sentences, and five sentences about each that were labelled by hand: 20 are supported
by a sentence of the page, 20 refuted by one, 20 neither."""

from dataclasses import dataclass

from evaluators.claims.claim import Label

S: Label = "supported"
R: Label = "refuted"
N: Label = "not enough info"


@dataclass(frozen=True)
class Page:
    """`sentences` are (sentence, label, the page's sentence that decides)."""

    title: str
    evidence: tuple[str, ...]
    sentences: tuple[tuple[str, Label, int | None], ...]


PAGES = (
    Page(
        "Arno Bell",
        (
            "Arno Bell was born in Tarn in 1901.",
            "He painted ships.",
            "He lived in a mill.",
            "He died in Oster in 1960.",
        ),
        (
            ("He was born in Tarn.", S, 0),
            ("He was a painter of ships.", S, 1),
            ("His house was a mill.", S, 2),
            ("He died in Oster in 1980.", R, 3),
            ("He spoke five languages.", N, None),
        ),
    ),
    Page(
        "Corrie Hat",
        (
            "Corrie Hat is a hill of 640 metres.",
            "Sheep graze on it.",
            "A cairn stands on its top.",
            "It is made of slate.",
        ),
        (
            ("It is a hill of 640 metres.", S, 0),
            ("Corrie Hat is a hill.", S, 0),
            ("The hill is 640 metres high.", S, 0),
            ("Its height is 640 metres.", S, 0),
            ("It rises to 640 metres.", S, 0),
        ),
    ),
    Page(
        "Edda Vane",
        (
            "Edda Vane won the prize in 1957.",
            "She wrote seven novels.",
            "She had one brother.",
            "She taught in Skarrow.",
        ),
        (
            ("She won the prize in 1975.", R, 0),
            ("She wrote two novels.", R, 1),
            ("She had four brothers.", R, 2),
            ("She was fond of cats.", N, None),
            ("Her handwriting was small.", N, None),
        ),
    ),
    Page(
        "Fell Light",
        (
            "Fell Light was lit in 1870.",
            "It is painted red.",
            "Its keeper was Jon Prill.",
            "It has a bell.",
        ),
        (
            ("Gulls nest in the roof.", N, None),
            ("A poem was written there.", N, None),
            ("Visitors bring sandwiches.", N, None),
            ("Its stairs are narrow.", N, None),
            ("The winters are long.", N, None),
        ),
    ),
    Page(
        "Grauven",
        (
            "Grauven has 9,000 inhabitants.",
            "Its mine closed in 1931.",
            "The town lies on the Arve.",
            "Its mayor is Lena Holt.",
        ),
        (
            ("It has 9,000 inhabitants.", S, 0),
            ("It has 40,000 inhabitants.", R, 0),
            ("It has 200 inhabitants.", R, 0),
            ("Its mine closed in 1950.", R, 1),
            ("Its streets are quiet.", N, None),
        ),
    ),
    Page(
        "Halmeck",
        (
            "Halmeck is a port.",
            "Its fair is held in May.",
            "It has two bridges.",
            "It was burnt in 1711.",
        ),
        (
            ("It is a port.", S, 0),
            ("Halmeck is a town with a port.", S, 0),
            ("Its fair is in May.", S, 1),
            ("It has nine bridges.", R, 2),
            ("It has no bridge.", R, 2),
        ),
    ),
    Page(
        "Ivo Lund",
        (
            "Ivo Lund ran in 1924.",
            "He came third.",
            "He was a baker.",
            "He wore no shoes.",
        ),
        (
            ("He liked long walks.", N, None),
            ("His uncle was a sailor.", N, None),
            ("His dog was old.", N, None),
            ("He ran in 1936.", R, 0),
            ("He came first.", R, 1),
        ),
    ),
    Page(
        "Jade moth",
        (
            "The jade moth is green.",
            "It flies in June.",
            "Its larva eats oak.",
            "It was found in 1866.",
        ),
        (
            ("It is a green moth.", S, 0),
            ("It flies in the month of June.", S, 1),
            ("It is loved by children.", N, None),
            ("A stamp shows it.", N, None),
            ("Two books are about it.", N, None),
        ),
    ),
    Page(
        "Kell Bridge",
        (
            "Kell Bridge was built in 1846.",
            "It has three arches.",
            "Its toll was one farthing.",
            "A flood reached it in 1931.",
        ),
        (
            ("It was built in 1746.", R, 0),
            ("It was built in 1900.", R, 0),
            ("It was built in 1950.", R, 0),
            ("It was built in 2001.", R, 0),
            ("It was built in 1846.", S, 0),
        ),
    ),
    Page(
        "Low Hymns",
        (
            "Low Hymns is an album of 1999.",
            "It has nine songs.",
            "It was recorded in Skarrow.",
            "Its cover is blue.",
        ),
        (
            ("It is an album of 1999.", S, 0),
            ("It has nine songs on it.", S, 1),
            ("It was recorded in the village of Skarrow.", S, 2),
            ("Its singer was tired.", N, None),
            ("Its cover is yellow.", R, 3),
        ),
    ),
    Page(
        "Mora Quist",
        (
            "Mora Quist led the party from 1971.",
            "She had a farm.",
            "She never married.",
            "She resigned in 1977.",
        ),
        (
            ("She read at breakfast.", N, None),
            ("Her hats were famous.", N, None),
            ("Her voice was deep.", N, None),
            ("She led the party from 1985.", R, 0),
            ("She led the party from 1960.", R, 0),
        ),
    ),
    Page(
        "Nine Winters",
        (
            "Nine Winters is a film of 2016.",
            "It lasts 118 minutes.",
            "It was directed by Jonas Wrede.",
            "It is set in Toll Sarn.",
        ),
        (
            ("It is a film of 2016.", S, 0),
            ("It lasts for 118 minutes.", S, 1),
            ("It was directed by Mika Tarrant.", R, 2),
            ("It is set in Ostrel.", R, 3),
            ("Its posters were stolen.", N, None),
        ),
    ),
)
