// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <pelt/named_files.h>

namespace pelt {

// Returns the extension of a file's name with its dot, in lower case.
std::string lower_extension(const std::filesystem::path& path);

// Returns the error in the name of a file that a model names, such as "leaves the folder"; null if it is valid. The
// file must be in the model's folder or below it.
const char* why_not_beside(const std::string& name);

// Also returns an error if the name of a model in `folder` leads out of the folder by a symbolic link, unless `files`
// allows that.
const char* why_not_beside(const std::filesystem::path& folder, const std::string& name, NamedFiles files);

}  // namespace pelt
