#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Clones the last commit, or copies the tree if it is not a repository, and runs README's test command there with an
# empty environment. Runs only tests that read PELT_SHARED or CI: suites whose source or fixture header does, pages that
# need a character of the former, and commands. Then it runs the build and install commands of the pages: these may miss
# a package, unless CI is set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
if git rev-parse --git-dir >/dev/null 2>&1; then
  git clone -q . "$clone/pelt"
else  # sources without their history
  mkdir "$clone/pelt"
  tar --exclude=./build --exclude=./out -cf - . | tar -xf - -C "$clone/pelt"
fi
cd "$clone/pelt"

# By the macros, too, that skip a test, which read CI. tests/support defines them.
reads='PELT_SHARED|"CI"|shared_folder|PELT_SKIP|PELT_REQUIRE_'
headers=$(grep -rlE "$reads" tests --include='*.h' --exclude-dir=support | paste -sd'|')
suites=$(grep -rlE "$reads|#include \"($headers)\"" tests --include='*_test.cpp' |
  xargs grep -hoE '^(TYPED_)?TEST(_[FP])?\([A-Za-z0-9_]+' | sed 's/.*(//' | sort -u | paste -sd'|')
# Suites that CTest runs as one have the name of the first.
filter='[A-Za-z0-9_/]+[.][A-Za-z0-9_*]+'
groups=$(grep -rhoE "$filter(:$filter)+" tests --include=CMakeLists.txt | grep -E "(^|[:/])($suites)[.]" |
  sed 's/[.].*//' | sort -u | paste -sd'|')
commands=$(grep -rhoE '^ *(pelt_command|part_of_runtime)_test\([A-Z][A-Za-z0-9]+( |$)' tests cmake \
  --include=CMakeLists.txt --include='*.cmake' | sed 's/.*(//; s/ //' | sort -u | paste -sd'|')
[[ -n $headers && -n $suites && -n $groups && -n $commands ]]

# ccache finds what the tree was built of; all else is as on a fresh machine.
empty=(env -i HOME="$HOME" PATH="$PATH" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1)
if [[ -n ${CCACHE_DIR-} ]]; then empty+=(CCACHE_DIR="$CCACHE_DIR"); fi
"${empty[@]}" ./run test --no-tests=error \
  --tests-regex "(^|/)($suites|$groups)(/|[.]|\$)|^($commands|Documents[.]garments)\$"
env -i ./run demo >/dev/null  # without PATH and HOME either
"${empty[@]}" ${CI:+CI="$CI"} ctest --test-dir build/release --output-on-failure --no-tests=error \
  --tests-regex '^Install[.]AsPrinted$'
