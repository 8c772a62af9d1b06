// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

// Reads a rig in the form of rig.schema.json, and no other. Errors are kInvalidFile (kUnsupported for another version
// of the format) and name `source` and the location: line and column if the text is not JSON, else a JSON pointer; for
// an unknown key also the nearest known one. Rig::directory stays empty.
Result<Rig> parse_rig(std::string_view json, const std::string& source);

// Reads a rig from a file of at most 16 MiB; Rig::directory is the file's folder.
Result<Rig> load_rig(const std::filesystem::path& path);

// Writes a rig with every parameter, defaults included: parse_rig(format_rig(rig)) returns the same rig except for its
// directory.
std::string format_rig(const Rig& rig);

// Returns the JSON schema of rigs, generated from the parameters' descriptions: the text of
// engine/authoring/rig/rig.schema.json.
std::string format_rig_schema();

// Returns the same as tables in Markdown: the text of docs/rig_reference.md.
std::string format_rig_reference();

}  // namespace pelt
