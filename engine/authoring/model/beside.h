// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <pelt/named_files.h>

namespace pelt {

// Returns what is wrong with the name of a file that a model names, which must lie in the model's folder or below it;
// null if nothing is. "leaves the folder", for example.
const char* why_not_beside(const std::string& name);

// Returns the same of a name that a model in `folder` has, which may also lead out of the folder by a symbolic link:
// null if `files` allows that.
const char* why_not_beside(const std::filesystem::path& folder, const std::string& name, NamedFiles files);

}  // namespace pelt
