// SPDX-License-Identifier: MIT
#include "tests/support/node.h"

#include <cstdlib>

namespace pelt::test {

namespace fs = std::filesystem;

bool runs(const std::string& command) { return std::system(command.c_str()) == 0; }

std::string install_packages(const fs::path& scripts, const fs::path& work) {
  if (!runs("node --version > /dev/null 2>&1") || !runs("npm --version > /dev/null 2>&1")) {
    return "node or npm is not installed: packages nodejs and npm";
  }
  fs::create_directories(work);
  for (const fs::directory_entry& script : fs::directory_iterator(scripts)) {
    fs::copy_file(script, work / script.path().filename(), fs::copy_options::overwrite_existing);
  }
  const std::string in_work = "cd '" + work.string() + "' && ";
  const bool installed = runs(in_work + "npm ls > /dev/null 2>&1") ||
                         runs(in_work + "npm install --no-save --no-package-lock --no-audit --no-fund > npm.log 2>&1");
  return installed ? "" : "npm cannot install a package: see npm.log in the build folder";
}

}  // namespace pelt::test
