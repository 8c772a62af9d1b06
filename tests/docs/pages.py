#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands and code of a page of the documents, from top to bottom, as a reader would.

    pages.py run PAGE.md PROGRAMS FOLDER    its shell blocks and JSON, in FOLDER
    pages.py marks                          whether every block of all pages is run, or states why it is not

FOLDER has what a checkout has (docs/, samples/, runtime/, build/release/bin, which is PROGRAMS and on the PATH), and
hero.glb, which pages call the reader's own character: the built-in biped, as a file that carries no rig.

A block of ```sh runs by bash and must succeed; its lines `./run demo`, `test`, `figures`, `pictures`, `view` and `web`
are left out. The lines of a block of ```text after it appear in this order in its output, with "..." for any text; numbers
with a decimal point may differ by one in their last digit. A block of ```json is a file. Comments before a block say
the rest, with semicolons between:

    <!-- not run: REASON -->            at most 15 on all pages
    <!-- run by: Install.AsPrinted -->  tests/install/as_printed.py runs it
    <!-- file: NAME.json -->            the JSON is written there, and a block below names it; a file of samples/ is
                                        compared with it instead
    <!-- for: MODEL -->                 the JSON is a rig, which this model is bound by
    <!-- into: NAME.json POINTER -->    the JSON is added to the list at POINTER of a rig that a block above has written

A block that needs what is not here, a program that was not built or a character that is not in the repository, is
skipped, and so then is the page: exit code 77. With the environment variable CI that is a failure.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/install"), str(ROOT / "tests/runtime/python")]
from as_printed import MARK as AS_PRINTED, PAGES as PAGES_AS_PRINTED  # noqa: E402
from run_document import same  # noqa: E402

MOST_NOT_RUN = 15
LANGUAGES = ("c", "cmake", "cpp", "glsl", "js", "json", "py", "python", "sh", "text")
SECONDS = 600  # of a block, however busy the machine is
BODY = "mannequiny-0.3.0.glb"  # $BODY of docs/garments.md
NO_DEVICE = re.compile(r"no Vulkan loader is installed|no driver supports Vulkan 1\.1|device.*there are none$", re.M)
LEFT_OUT = re.compile(r"^\./run (demo|test|figures|pictures|view|web)\b.*\n", re.MULTILINE)
MARK = r"(?:not run|run by|file|for|into): "


class Block(NamedTuple):
    line: int
    language: str
    content: str
    marks: dict[str, str]
    after: str  # the block of ```text directly after it


class Wrong(Exception):
    pass


class Missing(Exception):
    pass


def blocks_of(text: str) -> list[Block]:
    pattern = re.compile(r"((?:^<!--[^\n]*-->\n+)*)^```(\w*)\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?", re.M | re.S)
    found = []
    for match in pattern.finditer(text):
        marks = {}
        for comment in re.findall(r"<!-- (.*) -->", match[1]):
            for mark in re.split(rf"; (?={MARK})", comment):
                if not (known := re.fullmatch(rf"({MARK})(.+)", mark)):
                    raise Wrong(f"there is no mark '{mark}'")
                marks[known[1][:-2]] = known[2]
        found.append(Block(text.count("\n", 0, match.start(2)) + 1, match[2], match[3], marks, match[4] or ""))
    return found


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def is_left(block: Block) -> bool:
    return "not run" in block.marks or "run by" in block.marks


def not_printed(wanted: list[str], printed: list[str]) -> str | None:
    """Returns the first wanted line that is not printed after the lines before it; None: all are.

    >>> not_printed(["a", "...", "1.25 b", "...", "c ... d ... e"], ["a", "1.26  b", "x", "c 1 d 2 e"])
    >>> not_printed(["a", "a"], ["a", "b"])
    'a'
    >>> not_printed(["b", "a"], ["a", "b"])
    'a'
    >>> not_printed(["c ... d ... e"], ["c 1 e"])
    'c ... d ... e'
    """
    at = 0
    for line in wanted:
        pattern = re.compile(".*".join(map(re.escape, line.split("..."))))
        if line.strip() == "...":
            continue
        while at < len(printed) and not (pattern.fullmatch(printed[at]) if "..." in line else same(printed[at], line)):
            at += 1
        if at == len(printed):
            return line
        at += 1
    return None


# ---------------------------------------------------------------------------------------------------------------- marks


def check_marks() -> int:
    """Checks that no block escapes: commands stand in ```sh, JSON has a mark, few are not run, and what another test
    runs that test knows."""
    faults, not_run = [], []
    if doctest.testmod().failed:
        faults.append("pages.py does not compare as its examples say")
    programs = r"pelt|pelt_\w+|\./run|build/\S+|cmake|ctest|python3|cc|g\+\+|blender|cpack"
    command = re.compile(rf"^    (?:[A-Z_]+=\S+ )?(?:{programs}) .*", re.M)
    for page in pages():
        name = page.relative_to(ROOT)
        text = page.read_text()
        try:
            blocks = blocks_of(text)
        except Wrong as wrong:
            faults.append(f"{name}: {wrong}")
            continue
        outside = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
        if len(re.findall(r"^```", text, re.M)) != 2 * sum(1 + bool(block.after) for block in blocks):
            faults.append(f"{name}: a block of ``` that this program does not see")
        faults += [f"{name}: '{line.strip()}' stands in no block of ```sh" for line in command.findall(outside)]
        for i, block in enumerate(blocks):
            where = f"{name}:{block.line}"
            if "not run" in block.marks:
                not_run.append(f"{where}: {block.marks['not run']}")
            if "run by" in block.marks and f"<!-- run by: {block.marks['run by']} -->" != AS_PRINTED:
                faults.append(f"{where}: '{block.marks['run by']}' runs no blocks of pages")
            if block.language not in LANGUAGES:
                faults.append(f"{where}: '{block.language}' is none of {', '.join(LANGUAGES)}")
            if block.language == "json" and not block.marks:
                faults.append(f"{where}: nothing says what becomes of this JSON")
            file = block.marks.get("file")
            named = [other for other in blocks[i + 1:]
                     if other.language == "sh" and file and file in other.content and not is_left(other)]
            if file and not (ROOT / file).exists() and not named:
                faults.append(f"{where}: no block below names {file}")
        known = PAGES_AS_PRINTED.get(str(name), 0)
        if (count := sum("run by" in block.marks for block in blocks)) != known:
            faults.append(f"{name}: {count} blocks are run by another test, which knows of {known}")
    if len(not_run) > MOST_NOT_RUN:
        faults.append(f"{len(not_run)} blocks are not run, more than {MOST_NOT_RUN}:")
        faults += not_run
    print("\n".join(faults) if faults else f"{len(not_run)} blocks are not run:\n" + "\n".join(not_run))
    return 1 if faults else 0


# ------------------------------------------------------------------------------------------------------------------ run


class Page:
    def __init__(self, page: Path, programs: Path, folder: Path):
        self.page = page
        self.folder = folder
        self.skipped: list[str] = []
        self.environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}")
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "build/release").mkdir(parents=True)
        (folder / "build/release/bin").symlink_to(programs)
        for name in ("docs", "runtime", "samples"):
            (folder / name).symlink_to(ROOT / name)
        body = Path(os.environ.get("PELT_SHARED", "/nowhere")) / "assets/characters" / BODY
        if body.exists():
            self.environment["BODY"] = str(body)

    def shell(self, commands: str) -> str:
        """Runs commands that must succeed, and returns what they print."""
        try:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Wrong(f"takes more than {SECONDS} seconds:\n{commands}") from None
        if done.returncode != 0 and (no_device := NO_DEVICE.search(done.stdout)):
            raise Missing(f"no Vulkan device: {no_device[0]}")
        if done.returncode != 0:
            raise Wrong(f"exit code {done.returncode}:\n{commands}{done.stdout[-3000:]}")
        return done.stdout

    def need(self, commands: str) -> None:
        if re.search(r"\bpelt_viewer\b", commands) and not shutil.which("pelt_viewer", path=self.environment["PATH"]):
            raise Missing("pelt_viewer was not built")
        if "$BODY" in commands and "BODY" not in self.environment:
            raise Missing(f"$PELT_SHARED/assets/characters/{BODY} is missing")

    def make_hero(self) -> None:
        """Writes hero.glb without the extension by which pelt knows how it was bound."""
        self.shell("pelt bind builtin:biped --deformer linear-blend --no-check -o hero.glb")
        data = (self.folder / "hero.glb").read_bytes()
        length = struct.unpack_from("<I", data, 12)[0]
        gltf = json.loads(data[20:20 + length])
        del gltf["extensions"]["PELT_deformers"]
        gltf["extensionsUsed"].remove("PELT_deformers")
        for key in ("extensions", "extensionsUsed"):
            if not gltf[key]:
                del gltf[key]
        text = json.dumps(gltf).encode()
        text += b" " * (-len(text) % 4)
        rest = data[20 + length:]
        (self.folder / "hero.glb").write_bytes(
            struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest)

    def run_shell(self, block: Block) -> None:
        commands = LEFT_OUT.sub("", block.content)
        self.need(commands)
        lines = self.shell(commands).splitlines() if commands.strip() else []
        if (line := not_printed(block.after.splitlines(), lines)) is not None:
            raise Wrong(f"does not print\n{line}\nbut\n" + "\n".join(lines))

    def run_json(self, block: Block) -> None:
        value = json.loads(block.content)
        file = self.folder / block.marks.get("file", f"line_{block.line}.json")
        if "into" in block.marks:
            name, pointer = block.marks["into"].split()
            value_in = json.loads((self.folder / name).read_text())
            *keys, last = pointer.strip("/").split("/")
            place = value_in
            for key in keys:
                place = place[int(key) if isinstance(place, list) else key]
            place.setdefault(last, []).append(value)
            value = value_in
        if file.exists() and not file.resolve().is_relative_to(self.folder.resolve()):
            if json.loads(file.read_text()) != value:
                raise Wrong(f"is not what {block.marks['file']} says")
        else:
            file.write_text(json.dumps(value))
        if "for" in block.marks:
            name = file.relative_to(self.folder)
            printed = self.shell(f"pelt bind {block.marks['for']} --rig {name} -o bound.pelt")
            if "moves nothing" in printed:
                raise Wrong(printed)

    def run(self) -> int:
        text = self.page.read_text()
        failed = count = 0
        try:
            if re.search(r"\bhero\.glb\b", text):
                self.make_hero()
            blocks = blocks_of(text)
        except Wrong as wrong:
            print(f"{self.page}: {wrong}")
            return 1
        for block in blocks:
            if block.language not in ("sh", "json") or is_left(block):
                continue
            count += 1
            started, worked = time.monotonic(), processor_seconds()
            try:
                self.run_shell(block) if block.language == "sh" else self.run_json(block)
            except Missing as missing:
                self.skipped.append(f"{self.page.name}:{block.line}: skipped: {missing}")
            except (Wrong, ValueError, KeyError) as wrong:
                failed += 1
                print(f"{self.page}:{block.line}: {wrong}\n")
            print(f"{self.page.name}:{block.line}: {time.monotonic() - started:.1f} s, of the processors "
                  f"{processor_seconds() - worked:.1f} s", flush=True)
        print(f"{self.page.name}: {count} blocks, {failed} failed, {len(self.skipped)} skipped")
        print("\n".join(self.skipped))
        if failed or self.skipped and "CI" in os.environ:
            return 1
        return 77 if self.skipped else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["marks"]:
        sys.exit(check_marks())
    if sys.argv[1:2] != ["run"] or len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(Page(*(Path(argument).absolute() for argument in sys.argv[2:])).run())
