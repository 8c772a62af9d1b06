#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the tables of docs/benchmarks.md, each after its comment `<!-- table: NAME -->`, from the raw data in
docs/benchmarks/ and from the counts in shaders/.

usage: benchmarks.py [--check]      --check only compares, and fails if a table differs
"""
import json
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
BUDGETS = DOCS.parent / "shaders" / "budgets.txt"
OUTPUT = 20     # bytes per vertex: position 12, normal and tangent 4 each
TILE = 16       # instances that read a block of bind data one after the other: kTileInstances
OF_PEAK = 0.9   # of a card's bandwidth, which copies reach
OUTPUTS = "blend 3,0,4,0 linear "  # the formats that a crowd writes by default
# The name of a method on the page, its name in pelt bench, and the pipeline that moves its skin.
METHODS = (("linear blend, 1 influence", "linear blend, 1", "painted outputs"),
           ("linear blend, 4", "linear blend, 4", "painted outputs over-2"),
           ("linear blend, 8", "linear blend, 8", "painted outputs over-2 over-4"),
           ("dual quaternion, 4", "dual quaternion, 4", "dual-quaternion painted outputs"),
           ("surface FFD, default", "surface FFD, default", "gradients painted outputs over-2 over-4"),
           ("curve skeleton, MOS", "curve skeleton", "gradients painted outputs"))


def data(name):
    return json.loads((DOCS / f"benchmarks/{name}.json").read_text(encoding="utf-8"))


def budgets():
    """Counts by family of cards and pipeline."""
    columns = "registers spills scratch waves instructions slots latency".split()
    families = {}
    for line in BUDGETS.read_text(encoding="utf-8").splitlines():
        found = re.fullmatch(r"((?: +\d+){7})  ([A-Z0-9]+) (.*)", line)
        if found:
            families.setdefault(found[2], {})[found[3]] = dict(zip(columns, map(int, found[1].split())))
    return families


def rows_of_cpu(vertices):
    """Rows of pelt bench by method: one thread, the small mesh or the large one."""
    rows = [row for row in data("methods")["rows"] if row["threads"] == 1]
    size = vertices(row["vertices"] for row in rows)
    return {row["method"]: row for row in rows if row["vertices"] == size}


def ratio(value):
    return "unsteady" if value is None else f"{value:.2f}"


def cost():
    counts, cpu = budgets()["NAVI21"], rows_of_cpu(max)
    yield ["method", "influences", "bytes of bind data", "moved: one instance", "in a crowd", "issue slots",
           "registers (waves)", "CPU, of linear blend, 4"]
    for name, method, pipeline in METHODS:
        row, count = cpu[method], counts[OUTPUTS + pipeline]
        bind = row["bytes_in_per_vertex"]
        yield [name, f"{row['influences']:.1f}", f"{bind:.0f}", f"{bind + OUTPUT:.0f}",
               f"{bind / TILE + OUTPUT:.1f}", count["slots"], f"{count['registers']} ({count['waves']})",
               ratio(row["time_of_linear_blend_4"])]


def predictions():
    counts, cpu, cards = budgets(), rows_of_cpu(max), data("cards")
    yield ["method"] + [cell for card in cards for cell in (f"{card['name']}: one", "crowd")]
    for name, method, pipeline in METHODS[1:2] + METHODS[3:]:
        cells = [name]
        for card in cards:
            slots = counts[card["family"]][OUTPUTS + pipeline]["slots"]
            picoseconds = 1e3 * slots / (card["lanes"] * card["GHz"])
            for instances in (1, TILE):
                moved = cpu[method]["bytes_in_per_vertex"] / instances + OUTPUT
                copied = 1e3 * moved / (OF_PEAK * card["GB/s"])
                cells.append(f"{copied:.0f}" if copied > picoseconds else f"**{picoseconds:.0f}**")
        yield cells


def largest_crowds():
    return list({row["crowd"]: row for row in data("crowds")["crowds"]}.values())


def memory():
    given = data("memory")
    yield ["50 characters", "bytes per vertex", "MB"]
    for row in given["pelt"]:
        size = given["characters"] * sum(row["vertices"]) * row["bytes"] / 1e6
        yield [row["name"], row["bytes"], f"{size:.3g}"]
    added = [(row["bytes"] - OUTPUT * row["vertices"]) / row["instances"] * given["characters"] / 1e6
             for row in largest_crowds()[:2]]
    yield ["bipeds' palettes and inputs: linear blend, surface FFD", "", ", ".join(f"{size:.1f}" for size in added)]
    for row in given["others"]:
        yield [row["name"], row["bytes"], row["MB"]]


def methods():
    rows = rows_of_cpu(min)
    linear = rows["linear blend, 4"]
    yield ["method", f"Mvert/s of {linear['vertices']:,}", "of linear", "palettes, of linear"]
    for method, row in rows.items():
        if "K = " in method:
            continue
        yield [method.replace("mos", "MOS"), f"{row['vertices_per_second'] / 1e6:.0f}",
               ratio(row["time_of_linear_blend_4"]),
               f"{row['palette_seconds']['median'] / linear['seconds']['median']:.2f}"]


def crowds():
    yield ["crowd", "instances", "ms", "ns/vertex", "of least", "CPU ms", "MB"]
    for row in largest_crowds():
        yield [row["crowd"], row["instances"], f"{1e3 * row['seconds']['median']:.1f}",
               f"{1e9 * row['seconds_per_vertex']:.0f}", ratio(row["seconds_per_vertex_of_least"]),
               f"{1e3 * row['host_seconds']['median']:.3f}", f"{row['bytes'] / 1e6:.1f}"]


TABLES = {table.__name__: table for table in (cost, predictions, memory, methods, crowds)}


def lines_of(name):
    """The table as Markdown. One without a function is in its file as it is printed."""
    if name in TABLES:
        rows = list(TABLES[name]())
    else:
        rows = data(name)["table"]
    texts = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return [texts[0], "|" + "|".join(["---"] + ["--:"] * (len(rows[0]) - 1)) + "|"] + texts[1:]


def main():
    path = DOCS / "benchmarks.md"
    text = path.read_text(encoding="utf-8")

    def rewritten(found):
        return found[1] + "\n".join(lines_of(found[2])) + "\n"

    new = re.sub(r"(<!-- table: (\w+) -->\n)(?:\|.*\n)*", rewritten, text)
    if "--check" not in sys.argv[1:]:
        path.write_text(new, encoding="utf-8")
    elif new != text:
        sys.exit("docs/benchmarks.md differs from its data: run docs/benchmarks.py")


if __name__ == "__main__":
    main()
