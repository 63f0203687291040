"""Words that do not count as complex although they have three syllables or more.

These are the words of the list of Dale and Chall (1948), in textstat's form (MIT license), that have three syllables or
more by pyphen's English hyphenation; shorter words are never complex. Without this list the Gunning fog of Wikipedia's
new articles would be 1.4 points higher than the New-Wiki Eval paper's number.
"""

_WORDS = """
    accident adventure afternoon afterward afterwards alligator america american animal another attention
    automobile awfully battleship beautiful beautify becoming beginning bicycle blackberry blueberry bookkeeper
    buffalo bumblebee buttercup butterfly buttermilk butterscotch buttonhole cabinet calendar candlestick
    capital carelessness carpenter caterpillar cereal certainly champion cigarette citizen company conductor
    cowardly cranberry dangerous december diamond difference different direction discover dressmaker electricity
    enemy engineer envelope everybody everyday everyone everything everywhere excited exciting factory family
    february finally firecracker fisherman following forgotten furniture general gentleman gentlemen geography
    gingerbread godmother gooseberry government grandchildren granddaughter grandfather grandmother gunpowder
    handkerchief handwriting happily happiness hickory history holiday honeybee honeymoon hospital however
    important impossible indian interested interesting january jellyfish liberty locomotive machinery magazine
    manager multiply neighborhood nevermore newspaper november october officer otherwise passenger peppermint
    pocketbook policeman possible powerful really remember satisfactory saturday schoolmaster separate september
    settlement seventeen seventy several shoemaker strawberry sunflower tablespoon terrible thanksgiving tobacco
    together tomorrow tricycle umbrella understand underwear unfinished unfriendly unhappy unpleasant unwilling
    victory violet visitor watermelon waterproof whenever wonderful woodpecker yesterday
"""

EASY_WORDS = frozenset(_WORDS.split())
