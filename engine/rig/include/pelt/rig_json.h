// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <pelt/result.h>
#include <pelt/rig.h>

namespace pelt {

// Reads what rig.schema.json describes, and nothing else. Errors are kInvalidFile (kUnsupported for another version of
// the format) and name `source` and the place: line and column where the text is no JSON, else a JSON pointer; for an
// unknown key also the nearest known one. Rig::directory stays empty.
Result<Rig> parse_rig(std::string_view json, const std::string& source);

// The same of a file of at most 16 MiB; Rig::directory is the file's folder.
Result<Rig> load_rig(const std::filesystem::path& path);

// Every parameter written out, defaults too: parse_rig(format_rig(rig)) gives the same rig, its directory apart.
std::string format_rig(const Rig& rig);

// The JSON schema of rigs, as the parameters describe themselves: the text of engine/rig/rig.schema.json.
std::string format_rig_schema();

// The same as tables, in Markdown: the text of docs/rig_reference.md.
std::string format_rig_reference();

}  // namespace pelt
