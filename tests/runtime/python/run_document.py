# SPDX-License-Identifier: MIT
"""Runs the Python of a document in a folder: run_document.py DOCUMENT.md FOLDER.

Blocks of ```python share their names, as in a notebook. A block must print the block of ```text after it, or nothing if
there is no such block; numbers with a decimal point may differ by one in their last digit. With the environment
variable PELT_UPDATE_REFERENCE those blocks are rewritten.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from pathlib import Path

NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def blocks_of(text: str) -> list[tuple[int, str, str]]:
    """Returns line, language and content of each block."""
    blocks = []
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        blocks.append((text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)))
    return blocks


def same(printed: str, expected: str) -> bool:
    if NUMBER.sub("#", printed).split() != NUMBER.sub("#", expected).split():
        return False
    for got, wanted in zip(NUMBER.findall(printed), NUMBER.findall(expected)):
        digits = len(wanted.split("e")[0].split(".")[1])
        scale = 10.0 ** int(wanted.split("e")[1]) if "e" in wanted else 1.0
        if abs(float(got) - float(wanted)) > 1.5 * scale * 10.0**-digits:
            return False
    return True


def main(document: str, folder: str) -> int:
    document = os.path.abspath(document)
    blocks = blocks_of(Path(document).read_text())
    Path(folder).mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    written: list[tuple[str, str, str]] = []
    names: dict[str, object] = {"__name__": "__main__"}
    count = 0
    for i, (line, language, content) in enumerate(blocks):
        if language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + content, document, "exec"), names)
        count += 1
        expected = blocks[i + 1][2] if i + 1 < len(blocks) and blocks[i + 1][1] == "text" else ""
        if "PELT_UPDATE_REFERENCE" in os.environ:
            written.append((f"```python\n{content}```\n```text\n{expected}```", printed.getvalue(), content))
        elif not same(printed.getvalue(), expected):
            print(f"{document}:{line}: prints\n{printed.getvalue()}\nand the document says\n{expected}")
            return 1
    if written:
        text = Path(document).read_text()
        for before, output, content in written:
            text = text.replace(before, f"```python\n{content}```\n```text\n{output}```")
        Path(document).write_text(text)
    print(f"{document}: {count} blocks")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
