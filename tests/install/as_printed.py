# SPDX-License-Identifier: MIT
"""Runs commands of the pages as they are printed, page by page in a copy of the tree, each page in one shell: the
blocks of `sh` below the line `<!-- run by: Install.AsPrinted -->`. /opt/pelt, which only administrators can write, is a
folder next to the copy, empty for each page, and game.cpp, the reader's, is tests/install/game.cpp. Afterwards
the installed Python package binds a character. If a package is missing that the commands need, it skips by exit 77,
and fails with CI.

usage: as_printed.py TREE WORK
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

MARK = "<!-- run by: Install.AsPrinted -->"
PAGES = {"docs/install.md": 4, "docs/python.md": 1}  # and the number of their blocks


def blocks(text):
    return re.findall(rf"^{MARK}\n```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def main():
    tree, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    modules = ("ensurepip", "numpy", "pip", "setuptools", "wheel")
    missing = [name for name in modules if not importlib.util.find_spec(name)]
    missing += [name for name in ("dpkg-deb", "dpkg-shlibdeps") if not shutil.which(name)]
    if missing:
        print("missing:", *missing)
        sys.exit(1 if "CI" in os.environ else 77)
    shutil.rmtree(work, ignore_errors=True)
    copy, prefix = work / "pelt", work / "opt/pelt"
    left_out = {str(tree / name) for name in ("build", "out", ".git", ".cache")} | {str(work)}
    shutil.copytree(tree, copy, symlinks=True, ignore=lambda folder, names: [
        name for name in names if os.path.join(folder, name) in left_out or name == "node_modules"])
    shutil.copy(tree / "tests/install/game.cpp", copy / "game.cpp")

    # The environment of a new user's shell; ccache finds earlier builds of the tree.
    environment = {name: value for name, value in os.environ.items() if name in ("HOME", "CCACHE_DIR")}
    environment["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    environment["CCACHE_BASEDIR"] = str(copy)
    environment["CCACHE_NOHASHDIR"] = "1"

    for page, count in PAGES.items():
        commands = blocks((tree / page).read_text(encoding="utf-8"))
        if len(commands) != count:
            sys.exit(f"{page}: {len(commands)} blocks below {MARK}, and there should be {count}")
        script = re.sub(r"/opt/pelt\b", str(prefix), "\n".join(commands))
        print(f"== {page}\n{script}", flush=True)
        shutil.rmtree(prefix, ignore_errors=True)
        status = subprocess.run(["bash", "-exuo", "pipefail", "-c", script], cwd=copy, env=environment,
                                stdin=subprocess.DEVNULL, check=False).returncode
        if status != 0:
            sys.exit(f"{page}: exit {status}")

    subprocess.run([prefix / "python/bin/python", "-c",
                    "import pelt; character, report = pelt.bind('builtin:arm', deformer='surface-ffd')"],
                   cwd=work, env=environment, check=True)


if __name__ == "__main__":
    main()
