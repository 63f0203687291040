"""Claims about the sample wiki, true and false ones, said in other words than the wiki's, and the sentence that speaks
to each. A claim stands in a text about `about`, which is not always the page of its evidence."""

from typing import NamedTuple


class Gold(NamedTuple):
    about: str
    claim: str
    page: str
    sentence: str  # its beginning


GOLD = (
    Gold("Henrika Tolvane", "Tolvane put the sailors up in the tower for six days, on a diet of dried fish.",
         "Henrika Tolvane", "She housed them in the tower for six days"),
    Gold("Henrika Tolvane", "The schooner Amity was on her way to Toll Sarn carrying grain when she lost her rudder.",
         "Henrika Tolvane", "On the evening of 21 November 1906 the Dolmarian schooner"),
    Gold("Matthis Oldevar", "Oldevar went deaf in one ear because a charge exploded too soon.",
         "Matthis Oldevar", "He spent 211 nights on the reef"),
    Gold("Matthis Oldevar", "Oldevar refused to travel on railways that he had not inspected.",
         "Matthis Oldevar", "He would not travel by rail on any line"),
    Gold("Battle of Corran Moor", "Over a thousand musket balls were found at the site by metal detectors.",
         "Battle of Corran Moor", "The site has been a protected area since 1978"),
    Gold("Keswane", "It takes 48 minutes by train to get to Ostrel.", "Keswane", "Trains reach Ostrel in 48 minutes."),
    Gold("Upper Lumen Line", "Keswane is 48 minutes from Ostrel by train.",
         "Keswane", "Trains reach Ostrel in 48 minutes."),
    Gold("Nine Winters at Toll Sarn", "Edda Vane comes to Toll Sarn by train to replace a vanished teacher.",
         "Nine Winters at Toll Sarn", "In November 1953 Edda Vane arrives by sledge"),
    Gold("Livia Sarnholt", "Nine Winters at Toll Sarn received seven Silver Heron Awards.",
         "Nine Winters at Toll Sarn", "Shot over three successive winters"),
    Gold("Nine Winters at Toll Sarn", "Half of the money came from Grey Heron Pictures.",
         "Nine Winters at Toll Sarn", "Grey Heron Pictures put up half of the money"),
    Gold("Maren Toskvedt", "Toskvedt's best marathon time of 2:27:41 stood as the record until 2015.",
         "Maren Toskvedt", "She held the national records"),
    Gold("Maren Toskvedt", "Toskvedt worked as a postwoman during her whole career as a runner.",
         "Maren Toskvedt", "She trained for her entire career"),
    Gold("Mikkel Tarsholt", "Maren Toskvedt won a national title over 3,000 metres for the first time in 1981.",
         "Maren Toskvedt", "Her first national title came over 3,000 metres"),
    Gold("Oriane Delkath", "Delkath took a degree in agronomy in 1945 and then gave farmers advice on soil.",
         "Oriane Delkath", "She won a county scholarship"),
    Gold("1974 Vareskan general election", "Oriane Delkath had publicly promised that the krone would keep its value.",
         "Oriane Delkath", "Delkath had promised three times in public"),
    Gold("1974 Vareskan general election", "Haldane was the first female prime minister of Vareska.",
         "1974 Vareskan general election", "After 52 days of negotiation Haldane"),
    Gold("Oriane Delkath", "A new election was held in June 1976, which Labour won outright.",
         "1974 Vareskan general election", "A fresh election was called for June 1976"),
    Gold("Mikkel Tarsholt", "Tarsholt hit the post in the shoot-out of the Sunder Cup final in 2014.",
         "Mikkel Tarsholt", "He was left out of the squad for the 2010 Sunder Cup"),
    Gold("1931 Brindavar earthquake", "More than 300 aftershocks had been felt by the end of April.",
         "1931 Brindavar earthquake", "There were 312 aftershocks"),
    Gold("Grauven", "The 1931 Brindavar earthquake could be felt in Pellagrin.",
         "1931 Brindavar earthquake", "It was felt as far away as Pellagrin."),
    Gold("Hesperoglossa maradeniae", "The orchid has twice as many chromosomes as the plant of the mainland.",
         "Hesperoglossa maradeniae", "The mainland plant has 40 chromosomes"),
    Gold("Grauven", "Grauven is situated at 640 metres, some 20 kilometres from Dolmaria.",
         "Grauven", "Grauven lies 640 metres above sea level"),
    Gold("Tarrow stone beetle", "The beetle is the only one of its genus that lives outside caves.",
         "Tarrow stone beetle", "It is the only member of its genus"),
    Gold("Ashen lanternwing", "Since 1966 a railway lamp in Keswane has been left burning on nights in July.",
         "Ashen lanternwing", "The species has been protected in Vareska since 1983"),
    Gold("Emeric Vantholme", "The Ferryman of Sarn is the only opera that Vantholme wrote.",
         "Emeric Vantholme", "The Ferryman of Sarn (1879), his only opera"),
    Gold("Hanna Orring", "Orring wrote the libretto of an opera about a boatman and a tax collector.",
         "Emeric Vantholme", "The Ferryman of Sarn (1879), his only opera"),
    Gold("Lumen barbling", "The fish was first described by Hanne Quist in 1902.",
         "Lumen barbling", "The species was described in 1902"),
    Gold("Fletch Harbour", "The ferry between Keswane and Fletch Harbour needs a little over three hours.",
         "Fletch Harbour", "It is the seat of the islands' council"),
    Gold("Margravine Bridge", "Cars have been banned from the bridge since 1987.",
         "Margravine Bridge", "The brackets were removed in 1988"),
    Gold("Halmeck", "The railway reached Halmeck in November 1869.",
         "Upper Lumen Line", "The first trains ran to Toll Sarn on 1 June 1867"),
)  # fmt: skip
