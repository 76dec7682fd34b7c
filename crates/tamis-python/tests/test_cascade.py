"""Cascades: exact on what they were trained with, and the command's files."""

import copy
import pickle

import numpy
import pyarrow
import pytest
import tamis

KEYS = {
    "leaf": [f"leaf{i}" for i in range(5000)],
    "root": [f"root{i}" for i in range(800)],
    "seed": ["1", "2"],
}


@pytest.fixture(scope="module")
def cascade():
    return tamis.Cascade.train(KEYS, reject=16)


def test_every_trained_key_has_its_category(cascade):
    for category, keys in KEYS.items():
        assert cascade.classify(keys) == [category] * len(keys)
        assert all(cascade[key] == category for key in keys[:100])
        assert cascade.classify(pyarrow.array(keys)) == [category] * len(keys)
    assert cascade.categories == list(KEYS) and cascade.counts == [5000, 800, 2]
    assert len(cascade) == 5802 and cascade.reject == 16
    assert cascade["1"] == "seed"
    assert cascade.classify(numpy.array(["1", "2"])) == ["seed", "seed"]


def test_a_cascade_of_integers_is_asked_for_integers():
    cascade = tamis.Cascade.train({"odd": [1, 3], "even": numpy.array([0, 2])})
    assert cascade[3] == "odd" and cascade.classify(numpy.arange(3)) == ["even", "odd", "even"]
    for ask in [cascade.__getitem__, cascade.get, lambda key: cascade.classify([key])]:
        with pytest.raises(tamis.WrongTypeError, match="built from integers"):
            ask("3")


def test_strangers_are_refused(cascade):
    answers = cascade.classify(f"stranger{i}" for i in range(10_000))
    # One in 65,536 passes.
    assert sum(answer is not None for answer in answers) <= 4
    assert cascade.get("stranger") is None and cascade.get("stranger", 7) == 7
    assert cascade.classify_codes(["leaf1", "stranger"]).tolist() == [0, -1]


def test_pairs_train_the_same_cascade(cascade):
    pairs = [(key, category) for category, keys in KEYS.items() for key in keys]
    assert tamis.Cascade.train(pairs, reject=16) == cascade
    assert tamis.Cascade.train(iter(pairs), reject=16) == cascade
    generators = {category: iter(keys) for category, keys in KEYS.items()}
    assert tamis.Cascade.train(generators, reject=16) == cascade


def test_files_are_those_of_the_command(command, cascade, tmp_path):
    lines = "".join(f"{key}\t{category}\n" for category, keys in KEYS.items() for key in keys)
    source, theirs, ours = (tmp_path / name for name in ["keys.tsv", "theirs.tamis", "ours.tamis"])
    source.write_text(lines)
    command("cascade", "train", "-q", "--reject", "16", "--tsv", "-o", theirs, source)
    cascade.save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    assert tamis.Cascade.load(theirs) == cascade
    assert command("cascade", "classify", ours, input="leaf7\nroot7\n") == "leaf\nroot\n"


def test_cascades_pickle_and_copy(cascade):
    for other in [pickle.loads(pickle.dumps(cascade)), copy.copy(cascade), copy.deepcopy(cascade)]:
        assert other == cascade and other["root5"] == "root"
