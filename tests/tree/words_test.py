#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds what people read, pages, comments, descriptions and messages, to plain words.

Some words and shapes of sentences are not used at all (FORBIDDEN, with the words to write instead). Others have a right
use that no script can tell (COUNTED): words_counts.txt lists how often each file has them, and no count grows.
`words_test.py --update` sets the counts.

usage: words_test.py [--update | --list WORD]
"""
import ast
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from house_test import ROOT, SCRIPTS, SOURCES, comments, read_tree  # noqa: E402

NOT_READ = ("CHANGELOG.md", "docs/rig_reference.md", "tests/tree/words_test.py")  # the second is made of descriptions
MOST_WORDS = 62_600  # of all pages together
THING = ("vertex|frame|mesh|character|instance|joint|row|lane|bind|call|second|layer|element|record|pixel|triangle|"
         "material|entry|device|submission|crowd|pass")
FORBIDDEN = {  # pattern -> what to write
    r"\banew\b": "again",
    r"\bis none\b": "there is no ..., unknown ...",
    r"\bbehind\b": "after, unless it is about space",
    r"(?:^|[.;:?!] )(?:What|Who)\b(?![^.?]*\?)": "the subject first",
    r"(?:^|[.;:?!] )Of (?!course)": "the subject first",
    rf"\b(?:[Oo]nce|[Tt]wice|times|bytes|floats|words|numbers|one|two|three|four|[0-9]+) an? (?:{THING})\b": "per",
    r"\b(?:give|gives|giving) way\b|\bleft to linear blend\b|\btakes? over\b": "falls back to linear blend",
    r"\bverdicts?\b|\blikeness\b|\bhealthy\b": "report, weight similarity, non-degenerate",
    r"\bjudge[sd]?\b|\bjudging\b|\bmistakes?\b": "check, misuse",
}
COUNTED = ("where", "says", "alone", "beside", "held", "given", "core", "place")


def without_code(text):
    return re.sub(r"``[^`]*``|`[^`]*`", "`", text)


def page_lines(text):
    """The numbers and texts of a page's lines, without blocks of code and comments."""
    for block in (r"(?ms)^ *```.*?^ *```", r"(?s)<!--.*?-->", r"(?<=\n\n)(?:    .*\n)+"):
        text = re.sub(block, lambda match: "\n" * match[0].count("\n"), text)
    return enumerate(text.splitlines(), 1)


def docstrings(text):
    """The numbers and texts of the lines of a script's docstrings."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            first = node.body[0]
            yield from enumerate(text.splitlines()[first.lineno - 1:first.end_lineno], first.lineno)


def messages(text):
    """Texts of several words that a program prints or describes itself by, in any language of the tree."""
    for number, line in enumerate(text.splitlines(), 1):
        if not re.match(r"\s*#\s*include", line):
            for match in re.finditer(r'"((?:[^"\\]|\\.)*)"', line):
                if match[1].count(" ") >= 2:
                    yield number, match[1]


def prose(path, text):
    """Yields the numbers and texts of the lines that people read."""
    if path in NOT_READ:
        return
    if path.endswith(".md"):
        yield from ((number, without_code(line)) for number, line in page_lines(text))
    elif path.endswith((*SOURCES, *SCRIPTS)):
        yield from ((number, without_code(line).strip(" /!<")) for number, line in comments(path, text))
        documented = dict(docstrings(text)) if path.endswith(".py") else {}
        yield from ((number, without_code(line).strip(' "')) for number, line in documented.items())
        if not path.startswith("tests/"):
            yield from ((number, line) for number, line in messages(text) if number not in documented)


def forbidden(tree):
    for path, text in tree.items():
        for number, line in prose(path, text):
            for pattern, better in FORBIDDEN.items():
                if match := re.search(pattern, line):
                    yield f"{path}:{number}: '{match[0].strip()}'; write: {better}"


def counts(tree):
    """How often each file has each counted word."""
    found = {}
    for path, text in tree.items():
        for _, line in prose(path, text):
            for word in re.findall(rf"\b(?:{'|'.join(COUNTED)})\b", line, re.I):
                file = found.setdefault(path, {})
                file[word.lower()] = file.get(word.lower(), 0) + 1
    return found


def read_counts(text):
    return {path: dict(zip(rest[::2], map(int, rest[1::2]))) for path, *rest in map(str.split, text.splitlines())}


def written_counts(found):
    return "".join(f"{path} {' '.join(f'{word} {found[path][word]}' for word in COUNTED if word in found[path])}\n"
                   for path in sorted(found))


def grown(tree, allowed):
    found = counts(tree)
    for path, words in found.items():
        for word, count in words.items():
            if count > allowed.get(path, {}).get(word, 0):
                yield f"{path} has '{word}' {count} times, and {allowed.get(path, {}).get(word, 0)} are allowed"
    for path, words in allowed.items():
        if any(count > found.get(path, {}).get(word, 0) for word, count in words.items()):
            yield f"{path} has fewer counted words now: words_test.py --update"


def too_many_words(tree):
    words = sum(len(text.split()) for path, text in tree.items() if path.endswith(".md") and path not in NOT_READ)
    if words > MOST_WORDS:
        yield f"pages have {words} words, and {MOST_WORDS} are allowed"


class Tree(unittest.TestCase):
    """People can read the tree."""

    tree = read_tree(ROOT)

    def test_no_forbidden_words(self):
        self.none(forbidden(self.tree))

    def test_no_count_grows(self):
        self.none(grown(self.tree, read_counts(self.tree["tests/tree/words_counts.txt"])))

    def test_pages_are_short(self):
        self.none(too_many_words(self.tree))

    def test_each_check_finds_a_fault(self):
        tree = {"docs/x.md": "Made anew where\n`anew`\n```\nanew\n```\n" + "word " * MOST_WORDS,
                "x.cpp": "int anew;  // Of x.\n", "x.py": '"""Once a frame."""\ns = "which is none of those"\n'}
        self.assertEqual([fault.split(";")[0] for fault in forbidden(tree)],
                         ["docs/x.md:1: 'anew'", "x.cpp:1: 'Of'", "x.py:1: 'Once a frame'", "x.py:2: 'is none'"])
        for faults in (grown(tree, {}), grown({}, {"x.md": {"where": 1}}), too_many_words(tree)):
            self.assertEqual(len(list(faults)), 1)

    def none(self, found):
        found = list(found)
        self.assertEqual(len(found), 0, "\n" + "\n".join(found))


def main():
    tree = read_tree(ROOT)
    if sys.argv[1:2] == ["--update"]:
        with open(os.path.join(ROOT, "tests/tree/words_counts.txt"), "w", encoding="utf-8") as file:
            file.write(written_counts(counts(tree)))
    elif sys.argv[1:2] == ["--list"]:
        for path, text in tree.items():
            for number, line in prose(path, text):
                if re.search(rf"\b{sys.argv[2]}\b", line, re.I):
                    print(f"{path}:{number}: {line}")
    else:
        unittest.main()


if __name__ == "__main__":
    main()
