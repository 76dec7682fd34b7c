"""Every example in a docstring, of Rust and of Python, and in the guide."""

import doctest
import importlib
import pathlib

import pytest
import tamis

GUIDES = pathlib.Path(__file__).parents[3] / "docs"


def examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = []
    for name in tamis.__all__:
        member = getattr(tamis, name)
        if callable(member):
            found += finder.find(member, f"tamis.{name}", module=tamis)
    for name in ["tamis", "tamis.plan", "tamis._similar"]:
        found += finder.find(importlib.import_module(name))
    by_name = {test.name: test for test in found if test.examples}
    return list(by_name.values())


def test_there_are_examples():
    names = {test.name for test in examples()}
    for wanted in [
        "tamis.BloomFilter",
        "tamis.Cascade.train",
        "tamis.CountingFilter.count_many",
        "tamis.near_duplicates",
        "tamis.plan.filter",
    ]:
        assert any(
            name == wanted or name.endswith(wanted.removeprefix("tamis")) for name in names
        ), wanted
    assert len(names) >= 25, names


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_example(example):
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    outcome = runner.run(example)
    assert outcome.attempted > 0 and outcome.failed == 0


def test_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = (GUIDES / "python.md").read_text().splitlines()
    # A fence ends what an example prints.
    text = "\n".join("" if line.startswith("```") else line for line in lines)
    guide = doctest.DocTestParser().get_doctest(text, {}, "python.md", "python.md", 0)
    outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(guide)
    assert outcome.attempted > 20 and outcome.failed == 0
