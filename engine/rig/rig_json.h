// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/rig/rig.h"

namespace pelt {

// Reads what rig.schema.json describes. Errors name `source`, the place as a JSON pointer, and for an unknown key the
// nearest known one.
Result<Rig> parse_rig(std::string_view json, const std::string& source);
Result<Rig> load_rig(const std::filesystem::path& path);

// Every parameter written out, defaults too: parse_rig(format_rig(rig)) gives the same rig.
std::string format_rig(const Rig& rig);

}  // namespace pelt
