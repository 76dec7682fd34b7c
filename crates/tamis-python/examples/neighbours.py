"""An index of texts in memory, in the way of datasketch.

python neighbours.py corpus.txt "a line that is like one of them"
"""

import pathlib
import sys

import tamis


def index(texts: list[str], threshold: float = 0.5) -> tamis.MinHashLSH:
    """The texts by their places."""
    lsh = tamis.MinHashLSH(threshold=threshold)
    for number, row in enumerate(tamis.signatures(texts, "words:2")):
        lsh.insert(number, tamis.MinHash(hashvalues=row))
    return lsh


def neighbours(lsh: tamis.MinHashLSH, text: str) -> list[int]:
    """The places of texts that are like this one."""
    row = tamis.signatures([text], "words:2")[0]
    return lsh.query(tamis.MinHash(hashvalues=row))


if __name__ == "__main__":
    lines = pathlib.Path(sys.argv[1]).read_text().splitlines()
    for number in neighbours(index(lines), sys.argv[2]):
        print(lines[number])
