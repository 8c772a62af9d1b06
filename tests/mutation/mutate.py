#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes one operator, sign, index, limit or barrier of shaders at a time, and names the changes that no test notices.

The tests of build/release play the changed SPIR-V to the runtime (tests/support/mutated_shaders.h), so that nothing is
built. A change that makes the same SPIR-V is no change. What survives and is not explained in survivors.txt is listed,
and makes the exit status 1.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
WORK = ROOT / "build/mutation"
EXPLAINED = pathlib.Path(__file__).with_name("survivors.txt")
LIMIT = 300  # seconds of one program: a loop may have lost its end

# A pattern, and what takes its place.
RULES = [(re.compile(pattern), text) for pattern, text in [
    (r"(?<=\S) \+ (?=\S)", " - "), (r"(?<=\S) - (?=\S)", " + "), (r" \* (?=\S)", " / "), (r" / (?=\S)", " * "),
    (r" \+= ", " -= "), (r" -= ", " += "), (r" % ", " / "),
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r"!(?=[\w(])", ""),
    (r" & ", " | "), (r" \| ", " & "), (r" << ", " >> "), (r" >> ", " << "),
    (r"(?<=[(,=] )-(?=[\w(])", ""), (r"(?<=\()-(?=[\w(])", ""), (r"(?<=return )-(?=[\w(])", ""),
    (r"\[([^\[\]]+)\]", r"[\1 + 1]"),
    (r"\.x\b", ".y"), (r"\.y\b", ".z"), (r"\.z\b", ".x"), (r"\.w\b", ".x"),
    (r"\bmin\(", "max("), (r"\bmax\(", "min("), (r"\bfloor\(", "ceil("), (r"\babs\(", "("), (r"\bnormalize\(", "("),
    (r"\bcross\(", "-cross("), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"(?<![\w.])(\d+)(u?)\b(?![.\w])", lambda m: f"{int(m[1]) + 1}{m[2]}"),
    (r"(?<![\w.])(\d+\.\d*(?:e-?\d+)?)(?=f?\b)", lambda m: f"{float(m[1]) * 1.25 + (float(m[1]) == 0)}"),
    (r"^(\s*)(?:barrier|memoryBarrier\w*|memory_barrier)\(.*\);", r"\1"), (r"\b(?:continue|break);", ";"),
]]
# Lines without a value to change.
SKIPPED = re.compile(r"^\s*(#|//|layout|template|struct|static_assert|using|namespace)")

# What notices changes, the fastest first.
TESTS = [
    ["pelt_conformance", "--backend", "gpu", "--validation", "CASES"],
    ["runtime_test", "--gtest_filter=GpuCpu.InEveryConfiguration"],
    ["runtime_test", "--gtest_filter=RecomputedNormals.*:Bounds.Hold*"],
    ["runtime_test", "--gtest_filter=*Crowds.*:OutputSlots.*"],
    ["runtime_test", "--gtest_filter=GpuCpu.*-*InEveryConfiguration:*EveryCharacterFile:*OnTheBiped:*ADiscreteCard"],
]


def mutants(file):
    """Yields (line, text before, text after) for each change of a file."""
    block = False
    for number, line in enumerate((ROOT / file).read_text().splitlines(), 1):
        code = line.split("//")[0].rstrip()
        if "/*" in code:
            block = True
        skipped = block or SKIPPED.match(code) or not code.strip()
        if "*/" in line:
            block = False
        if skipped:
            continue
        # What stands in quotes is a sentence.
        quoted = [m.span() for m in re.finditer(r'"[^"]*"', code)]
        for pattern, text in RULES:
            for found in pattern.finditer(code):
                if any(start < found.end() and found.start() < end for start, end in quoted):
                    continue
                new = text(found) if callable(text) else found.expand(text)
                changed = code[:found.start()] + new + code[found.end():]
                if changed != code:
                    yield number, code, changed


def tests_pass(mutants_folder):
    """True: all pass where the changed shaders of a folder take the place of those that were built."""
    for program, *arguments in TESTS:
        arguments = [os.environ["PELT_SHARED"] + "/cases" if a == "CASES" else a for a in arguments]
        if program != "pelt_conformance":
            arguments.append("--gtest_fail_fast")
        environment = {**os.environ, "PELT_TEST_DEVICE": "mutated", "PELT_MUTANTS": str(mutants_folder)}
        try:
            subprocess.run([BUILD / "bin" / program, *arguments], cwd=BUILD, env=environment, timeout=LIMIT, check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return False  # what takes too long or crashes has noticed, too
    return True


def compile_shader(tree, source, output):
    """True: it compiles; as cmake/shaders.cmake does it."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return (subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.1", f"-I{tree}/shaders",
                            f"-I{tree}/shaders/include", "-o", output, tree / source], **quiet).returncode == 0 and
            subprocess.run(["spirv-opt", "--target-env=vulkan1.1", "-O", output, "-o", output],
                           **quiet).returncode == 0)


def empty_folder():
    folder = WORK / "mutants"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


class Shaders:
    def __init__(self):
        self.tree = WORK / "shaders_tree"
        shutil.rmtree(self.tree, ignore_errors=True)
        shutil.copytree(ROOT / "shaders", self.tree / "shaders")
        self.built = BUILD / "runtime/embedded"
        self.users = {}  # file -> the shaders that include it
        for depfile in self.built.rglob("*.spv.d"):
            source = str(depfile.relative_to(self.built))[:-len(".spv.d")]
            for used in depfile.read_text().split(":", 1)[1].replace("\\\n", " ").split():
                file = os.path.relpath(os.path.realpath(used), ROOT)
                self.users.setdefault(file, set()).add(source)
        shader = WORK / "unchanged.spv"
        for source in sorted(set().union(*self.users.values())):
            if not compile_shader(self.tree, source, shader) or \
                    shader.read_bytes() != (self.built / f"{source}.spv").read_bytes():
                sys.exit(f"mutate.py: {source}: build/release has another; build it by ./run build")
        if not tests_pass(empty_folder()):
            sys.exit("mutate.py: the tests do not pass, or skip, where nothing is changed")

    def judge(self, file, number, text):
        changed = self.tree / file
        original = changed.read_text()
        folder = empty_folder()
        try:
            changed.write_text("".join(text + "\n" if n == number else line
                                       for n, line in enumerate(original.splitlines(keepends=True), 1)))
            differ = 0
            for index, source in enumerate(sorted(self.users.get(file, ()))):
                mutant, was = folder / f"{index}.is", self.built / f"{source}.spv"
                if not compile_shader(self.tree, source, mutant):
                    return "refused"
                if mutant.read_bytes() == was.read_bytes():
                    mutant.unlink()
                    continue
                shutil.copy(was, folder / f"{index}.was")
                differ += 1
            if differ == 0:
                return "same"
            return "survived" if tests_pass(folder) else "noticed"
        finally:
            changed.write_text(original)


def explained():
    """Changes that survive with a reason: the file, the text before and after, the reason, with tabs between."""
    found = {}
    for line in EXPLAINED.read_text().splitlines():
        if line and not line.startswith("#"):
            file, before, after, reason = (part.strip() for part in line.split("\t"))
            found[file, before, after] = reason
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="files of shaders/")
    parser.add_argument("--per-file", type=int, default=0, help="so many changes of each file, by chance; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=0, help="stop after so many; 0: never")
    arguments = parser.parse_args()
    if "PELT_SHARED" not in os.environ:
        parser.error("PELT_SHARED names the folder with the known-answer cases")
    files = [os.path.relpath(os.path.abspath(file), ROOT) for file in arguments.files]
    chance = random.Random(arguments.seed)
    work = []
    for file in files:
        mutants_of_file = list(mutants(file))
        chance.shuffle(mutants_of_file)
        work += [(file, *mutant) for mutant in mutants_of_file[:arguments.per_file or None]]
    chance.shuffle(work)
    shaders = Shaders()
    reasons, counts, unexplained = explained(), {}, []
    started = time.monotonic()
    for done, (file, number, before, after) in enumerate(work):
        if arguments.minutes and time.monotonic() - started > arguments.minutes * 60:
            print(f"stopped after {done} of {len(work)} changes")
            break
        outcome = shaders.judge(file, number, after)
        if outcome == "survived" and (file, before.strip(), after.strip()) in reasons:
            outcome = "explained"
        counts[outcome] = counts.get(outcome, 0) + 1
        if outcome == "survived":
            unexplained.append((file, before.strip(), after.strip()))
            print(f"{file}:{number}: survived\n  {before.strip()}\n  {after.strip()}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
