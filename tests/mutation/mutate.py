#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes one operator, sign, index, limit or barrier at a time, and names the changes that no test notices.

Files below shaders/ are changed as the device sees them: the tests of build/release play the changed SPIR-V to the
runtime (tests/support/mutated_shaders.h), so that nothing is built. Every other file is changed in a copy of the tree,
which is built and tested as build/release is. A change that makes the same SPIR-V does not count. A survivor that is
not explained in survivors.txt is listed, and makes the exit status 1.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
WORK = ROOT / "build/mutation"
EXPLAINED = pathlib.Path(__file__).with_name("survivors.txt")
LIMIT = 300  # seconds of one program: a loop may have lost its end

# A pattern, and its replacement.
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
# Lines without a value to change; a release has no assertions.
SKIPPED = re.compile(r"^\s*(#|//|layout|template|struct|(static_)?assert|using|namespace)")

# The programs that notice changes of shaders, the fastest first.
SHADER_TESTS = [
    ["pelt_conformance", "--backend", "gpu", "--validation", "CASES"],
    ["runtime_test", "--gtest_filter=GpuCpu.InEveryConfiguration"],
    ["runtime_test", "--gtest_filter=OutputFormats.*:Bounds.Hold*"],
    ["runtime_test", "--gtest_filter=*Crowds.*:OutputSlots.*"],
    ["runtime_test", "--gtest_filter=GpuCpu.*-*InEveryConfiguration:*EveryCharacterFile:*OnTheBiped:*ADiscreteCard"],
]


def kernel_tests(file):
    """The programs that notice changes of a file, the fastest first."""
    if file.startswith("runtime/"):
        return [["runtime_test", "--gtest_filter=" + tests] for tests in (
            "PlannedCrowds.*:SecondRecorders.*:FreeRanges.*:InputRings.*:OutputSlots.*",
            "*Crowds.*-RandomCrowds.*", "RandomCrowds.*:GpuCpu.InEveryConfiguration:CApi.*",
            "*Device*.*:Transfer.*:Memory.*:Frames.*:Barriers.*:Bounds.*:RefusedMemory.*")]
    folders = os.path.dirname(file).split("/")
    program = ("character" if folders[1] == "character" else folders[-1] if folders[2] == "model" and folders[3:]
               else folders[2]) + "_test"
    tests = [["pelt_conformance", "--backend", "cpu", "CASES"], [program], ["properties_test"]]
    return tests if program == "character_test" else tests + [["character_test"]]


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
        # Text in quotes is a sentence.
        quoted = [m.span() for m in re.finditer(r'"[^"]*"', code)]
        for pattern, text in RULES:
            for found in pattern.finditer(code):
                if any(start < found.end() and found.start() < end for start, end in quoted):
                    continue
                new = text(found) if callable(text) else found.expand(text)
                changed = code[:found.start()] + new + code[found.end():]
                if changed != code:
                    yield number, code, changed


def changed_text(file, number, text):
    lines = (ROOT / file).read_text().splitlines()
    lines[number - 1] = text
    return "\n".join(lines) + "\n"


def run(command, folder, environment):
    """True: it passes. A timeout or a crash has noticed the change."""
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(LIMIT) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def passes(tests, build, environment):
    for program, *arguments in tests:
        arguments = [os.environ["PELT_SHARED"] + "/cases" if a == "CASES" else a for a in arguments]
        if program != "pelt_conformance":
            arguments.append("--gtest_fail_fast")
        if not run([str(build / "bin" / program), *arguments], build, environment):
            return False
    return True


def require(tests_pass):
    if not tests_pass:
        sys.exit("mutate.py: the tests do not pass, or skip, where nothing is changed")


def compile_shader(tree, source, output):
    """True: it compiles; as cmake/shaders.cmake does it."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return (subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.1", f"-I{tree}/shaders",
                            f"-I{tree}/shaders/include", "-o", output, tree / source], **quiet).returncode == 0 and
            subprocess.run(["spirv-opt", "--target-env=vulkan1.1", "-O", output, "-o", output],
                           **quiet).returncode == 0)


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
        folder = WORK / "mutants"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        require(passes(SHADER_TESTS, BUILD, {"PELT_TEST_DEVICE": "mutated", "PELT_MUTANTS": str(folder)}))

    def outcome_of(self, file, number, text):
        changed = self.tree / file
        original = changed.read_text()
        folder = WORK / "mutants"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            changed.write_text(changed_text(file, number, text))
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
            environment = {"PELT_TEST_DEVICE": "mutated", "PELT_MUTANTS": str(folder)}
            return "survived" if passes(SHADER_TESTS, BUILD, environment) else "noticed"
        finally:
            changed.write_text(original)


class Kernels:
    def __init__(self, files):
        self.tree = WORK / "tree"
        names = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
        for name in names:  # what is the same keeps its time, so that it is not built again
            source, copy = ROOT / name, self.tree / name
            if source.is_file() and not (copy.exists() and copy.read_bytes() == source.read_bytes()):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, copy)
        self.build = self.tree / "build/release"
        subprocess.run(["cmake", "--preset", "release", "-DPELT_SAMPLES=OFF", "-DPELT_INSTALL=OFF"], cwd=self.tree,
                       check=True, stdout=subprocess.DEVNULL)
        programs = {test[0] for file in files for test in kernel_tests(file)}
        subprocess.run(["ninja", *programs], cwd=self.build, check=True)
        for tests in {tuple(map(tuple, kernel_tests(file))) for file in files}:
            require(passes(tests, self.build, {}))

    def outcome_of(self, file, number, text):
        changed = self.tree / file
        original = changed.read_text()
        try:
            changed.write_text(changed_text(file, number, text))
            tests = kernel_tests(file)
            built = subprocess.run(["ninja", *{test[0] for test in tests}], cwd=self.build, stdout=subprocess.DEVNULL)
            if built.returncode != 0:
                return "refused"
            return "survived" if passes(tests, self.build, {}) else "noticed"
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
    parser.add_argument("files", nargs="+", help="sources, from the root of the tree")
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
    shaders = Shaders() if any(file.startswith("shaders/") for file in files) else None
    others = [file for file in files if not file.startswith("shaders/")]
    kernels = Kernels(others) if others else None
    reasons, counts, unexplained = explained(), {}, []
    started = time.monotonic()
    for done, (file, number, before, after) in enumerate(work):
        if arguments.minutes and time.monotonic() - started > arguments.minutes * 60:
            print(f"stopped after {done} of {len(work)} changes")
            break
        outcome = (shaders if file.startswith("shaders/") else kernels).outcome_of(file, number, after)
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
