#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the tree to CONTRIBUTING.md: what each folder may include, how many lines it may have, and that every file that
is named exists. A check takes the tree as a dictionary from paths to texts and returns a sentence for each fault."""
import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("engine/", "runtime/", "samples/", "shaders/", "tests/")
SOURCES = (".c", ".cpp", ".h", ".inl", ".comp", ".vert", ".frag", ".glsl", ".list")
SCRIPTS = (".py", ".sh", ".cmake", "CMakeLists.txt", "run")
GENERATED = ("rig.schema.json", "rig_reference.md", "budgets.txt")
MODELS = (".obj", ".mtl", ".gltf", ".glb")
MOST_LINES, MAY_BE_LONGER = 500, ("pelt.h",)
SLACK = 400  # lines; a ceiling that is further above what is there goes down
SYSTEM = re.compile(r"[a-z_0-9]+|(stddef|stdint|stdio|stdlib|string|math|unistd|strings|dlfcn|fcntl|io|windows)\.h|"
                    r"sys/(mman|stat)\.h")
# Names in comments that stand for any file, or that the build makes.
EXAMPLE = re.compile(r"(.*/)?[a-z]\.\w+|.*[A-Z].*|.*\.(comp|frag|vert)\.h|(tiny_gltf|vulkan_core|windows|xxhash)\.h")


def read_tree(root):
    """The texts of all files that git knows; without a history, of all files. Pictures have none."""
    git = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    paths = git.stdout.splitlines() if git.returncode == 0 else [
        os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names]
    tree = {}
    for path in paths:
        if path.startswith("build") or not os.path.isfile(os.path.join(root, path)):
            continue
        with open(os.path.join(root, path), "rb") as file:
            data = file.read()
        tree[path] = "" if b"\0" in data else data.decode("utf-8", "replace")
    return tree


def table(page, heading):
    """The rows of the first table below a heading, as lists of cells."""
    lines = page[page.index(f"\n{heading}\n"):].splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("|")) + 2
    rows = []
    while first + len(rows) < len(lines) and lines[first + len(rows)].startswith("|"):
        rows.append([cell.strip() for cell in lines[first + len(rows)].strip("|").split("|")])
    return rows


def quoted(text):
    return re.findall(r"`([^`]+)`", text)


class Rules:
    """The table of "The house". A file belongs to the longest folder that it is in."""

    def __init__(self, page):
        self.rows = {}  # folder -> which folders' files it may include, and which headers from outside of the tree
        for folder, _, includes, others in table(page, "## The house"):
            folder = quoted(folder)[0]
            allowed, _, forbidden = includes.partition("; not ")
            exactly = {folder, *(self.rows if "rows above" in allowed else ())} - set(quoted(forbidden))
            within = tuple(name for name in quoted(allowed))
            self.rows[folder] = (exactly, within, set(quoted(forbidden)), "public headers" in allowed,
                                 ("",) if others == "all" else tuple(quoted(others)))

    def folder_of(self, path):
        return max((folder for folder in self.rows if path.startswith(folder)), key=len, default=None)

    def may_include(self, file, included):
        exactly, within, forbidden, public, _ = self.rows[self.folder_of(file)]
        folder = self.folder_of(included)
        return folder in exactly or (folder not in forbidden and included.startswith(within)) or (
            public and "/include/pelt/" in included)

    def may_use(self, file, header):
        return SYSTEM.fullmatch(header) is not None or header.startswith(self.rows[self.folder_of(file)][4])


def wrong_includes(tree, rules):
    public = {path.split("/include/")[1]: path for path in tree if "/include/" in path}
    for file, text in tree.items():
        if not file.endswith(SOURCES) or not file.startswith(FOLDERS):
            continue
        if rules.folder_of(file) is None:
            yield f"{file} is in no folder of the table"
            continue
        for number, line in enumerate(text.splitlines(), 1):
            match = re.match(r"\s*#\s*include [<\"]([^>\"]+)", line)
            if not match:
                continue
            name = match[1]
            beside = os.path.normpath(os.path.join(os.path.dirname(file), name))
            target = public.get(name) or next((path for path in (name, beside) if path in tree), None)
            if target is None and name.startswith("pelt"):
                continue  # made by the build
            if not (rules.may_include(file, target) if target else rules.may_use(file, name)):
                yield f"{file}:{number}: {rules.folder_of(file)} may not include {target or name}"


def counted(path):
    return path.startswith(FOLDERS) and not path.endswith((".md", *MODELS, *GENERATED))


def too_many_lines(tree, page):
    lines = {path: text.count("\n") for path, text in tree.items() if counted(path)}
    for folder, ceiling in table(page, "### Ceilings"):
        folder, ceiling = quoted(folder)[0], int(ceiling.replace(",", ""))
        total = sum(count for path, count in lines.items() if path.startswith(folder))
        if total > ceiling:
            yield f"{folder} has {total} lines, and {ceiling} are allowed: something has to go"
        if total < ceiling - SLACK:
            yield f"{folder} has {total} lines: its ceiling goes down from {ceiling}"
    for path, count in lines.items():
        if count > MOST_LINES and os.path.basename(path) not in MAY_BE_LONGER:
            yield f"{path} has {count} lines, and {MOST_LINES} are allowed"


def comments(path, text):
    """Yields the numbers and texts of the lines of a page, or of a source's lines from the comment on."""
    mark = "//" if path.endswith(SOURCES) else "#" if path.endswith(SCRIPTS) else None
    for number, line in enumerate(text.splitlines(), 1):
        before, found, comment = line.partition(mark) if mark else ("", True, line)
        if found and (not before.strip() or before.endswith(" ")):
            yield number, comment


def missing_names(tree):
    """Files and folders that comments and pages name: files by any end of their path, folders by the whole."""
    known = {path[at:] for path in tree for at in [0, *(match.end() for match in re.finditer("/", path))]}
    known |= {path[:match.end()] for path in tree for match in re.finditer("/", path)}
    kinds = "|".join(sorted({kind.lstrip(".") for kind in (*SOURCES, *SCRIPTS) if "." in kind} - {"txt"}))
    for path, text in tree.items():
        if path in ("CHANGELOG.md", "tests/tree/house_test.py") or not path.endswith((*SOURCES, *SCRIPTS, ".md")):
            continue
        for number, comment in comments(path, text):
            for name in re.findall(rf"(?<![\w./<{{}}*-])<?([a-z][\w./-]*\.(?:{kinds})\b(?![./(])|"
                                   rf"(?:{'|'.join(FOLDERS)})(?:[\w-]+/)+(?![\w*<.]))", comment):
                if name not in known and not EXAMPLE.fullmatch(name):
                    yield f"{path}:{number}: there is no {name}"


def anchors(page):
    """The names by which links find the headings of a page."""
    found = set()
    for heading in re.findall(r"^#+ (.*)", re.sub(r"^```.*?^```", "", page, flags=re.M | re.S), re.M):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w-]", "", text.replace(" ", "-"))
        found.add(f"{name}-1" if name in found else name)
    return found


def dead_links(tree):
    for path, page in tree.items():
        if not path.endswith(".md"):
            continue
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", page, flags=re.M | re.S)):
            file, _, heading = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if re.match("[a-z]+:", link):
                continue
            if not any(other == target or other.startswith(target + "/") for other in tree):
                yield f"{path} links to {link}"
            elif heading and heading not in anchors(tree.get(target, "")):
                yield f"{path} links to {link}, and there is no such heading"


def bare_tests(tree):
    """A test that is made by a bare add_test fails by the exit code by which programs skip."""
    for path, text in tree.items():
        if path.endswith(("CMakeLists.txt", ".cmake")) and re.search(r"^\s*add_test\(", text, re.M):
            if path != "tests/CMakeLists.txt":
                yield f"{path} makes a test by add_test, not by pelt_command_test"


class Tree(unittest.TestCase):
    """The tree has no fault."""

    tree = read_tree(ROOT)
    page = tree["CONTRIBUTING.md"]

    def test_includes_follow_the_table(self):
        self.none(wrong_includes(self.tree, Rules(self.page)))

    def test_folders_are_below_their_ceilings(self):
        self.none(too_many_lines(self.tree, self.page))

    def test_named_files_exist(self):
        self.none(missing_names(self.tree))

    def test_links_lead_somewhere(self):
        self.none(dead_links(self.tree))

    def test_tests_know_how_to_skip(self):
        self.none(bare_tests(self.tree))

    def test_each_check_finds_a_fault(self):
        tree = {**self.tree, "docs/x.md": "[a](gone.md)", "tests/x.cmake": "add_test(",
                "engine/character/x.cpp": '#include "engine/authoring/rig/check_rig.h"\n// gone.h' + "\n" * 100_000}
        for find, *more in ((wrong_includes, Rules(self.page)), (too_many_lines, self.page), (missing_names,),
                            (dead_links,), (bare_tests,)):
            self.assertTrue({*find(tree, *more)} - {*find(self.tree, *more)}, find.__name__)

    def none(self, faults):
        faults = list(faults)
        self.assertFalse(faults, "\n" + "\n".join(faults))


if __name__ == "__main__":
    unittest.main()
