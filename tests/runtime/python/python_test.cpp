// SPDX-License-Identifier: MIT
// Builds the wheel of the Python package, installs it into a virtual environment, offline, and runs the package's tests
// and its document from there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/program.h"
#include "tests/support/shared_files.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;

const fs::path kWork = PELT_WORK;
const fs::path kPython = kWork / "venv/bin/python";
const fs::path kTests = fs::path(PELT_SOURCE) / "tests/runtime/python";

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

class PythonPackage : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const test::Outcome modules = test::run_program(
        PELT_PYTHON,
        "-I -c 'from importlib.util import find_spec; "
        "print(*[m for m in (\"ensurepip\", \"numpy\", \"pip\", \"setuptools\", \"wheel\") if not find_spec(m)])'");
    if (modules.status != 0 || modules.output != "\n") {
      missing_ = std::string(PELT_PYTHON) + " lacks modules: " + modules.output + modules.errors +
                 "packages python3-numpy, python3-pip, python3-setuptools, python3-venv, python3-wheel";
      return;
    }
    fs::remove_all(kWork);
    fs::create_directories(kWork);
    const std::string define = std::string("'-DPYTHON=") + PELT_PYTHON + "' '-DSOURCE=" + PELT_SOURCE +
                               "/runtime/python' -DVERSION=" + PELT_VERSION_TEXT + " '-DLIBRARIES=" + PELT_C_LIBRARY +
                               ";" + PELT_BINDER_LIBRARY + "' '-DSTRIP=" + PELT_STRIP + "' -DOUTPUT=" + quoted(kWork);
    run(PELT_CMAKE, define + " -P " + quoted(fs::path(PELT_SOURCE) / "runtime/python/wheel.cmake"));
    run(PELT_PYTHON, "-m venv --system-site-packages " + quoted(kWork / "venv"));
    run(kPython,
        "-m pip --disable-pip-version-check --no-cache-dir install --quiet --no-index --no-deps " + quoted(wheel()));
  }

  static fs::path wheel() {
    for (const fs::directory_entry& entry : fs::directory_iterator(kWork)) {
      if (entry.path().extension() == ".whl") return entry.path();
    }
    ADD_FAILURE() << "there is no wheel in " << kWork;
    return {};
  }

  void SetUp() override {
    if (!missing_.empty()) PELT_SKIP(missing_);
  }

  static test::Outcome run(const fs::path& program, const std::string& arguments) {
    const test::Outcome outcome = test::run_program(program.string(), arguments, kWork);
    EXPECT_EQ(outcome.status, 0) << program << " " << arguments << "\n" << outcome.output << outcome.errors;
    return outcome;
  }

  static std::string missing_;
};
std::string PythonPackage::missing_;

TEST_F(PythonPackage, IsAWheelForThePlatform) {
  EXPECT_THAT(wheel().filename().string(),
              testing::MatchesRegex("pelt-" PELT_VERSION_TEXT "-py3-none-linux_[a-z0-9_]+[.]whl"));
}

TEST_F(PythonPackage, DoesWhatItsTestsSay) {
  ::setenv("PELT_PROGRAM", PELT_PROGRAM, 1);
  ::setenv("PELT_OTHER_ABI", PELT_OTHER_ABI, 1);
  ::unsetenv("PELT_LIBRARY");
  ::unsetenv("PYTHONPATH");
  for (const char* file : {"learn_test.py", "package_test.py", "skin_points_test.py"}) {
    const test::Outcome outcome = run(kPython, quoted(kTests / file));
    EXPECT_THAT(outcome.errors, testing::HasSubstr("OK"));
    EXPECT_THAT(outcome.errors, testing::Not(testing::HasSubstr("skipped")));
  }
}

// The Python code of docs/python.md runs unchanged, and prints the output that the page shows.
TEST_F(PythonPackage, DoesWhatItsPageSays) {
  run(kPython, quoted(kTests / "run_document.py") + " " + quoted(fs::path(PELT_SOURCE) / "docs/python.md") + " " +
                   quoted(kWork / "page"));
}

}  // namespace
}  // namespace pelt
