// SPDX-License-Identifier: MIT
// The shape of a glTF 2.0 document: which properties it has, of which type, within which bounds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include <pelt/result.h>

namespace pelt {

// Checks every property that the importer reads: types, bounds of numbers, sizes of arrays, and that each index names
// an entry that the document has. Removes everything else (materials' textures, extensions, extras but for the names
// of morph targets and the properties of bendy bones, and what else there may be), so that nothing unchecked but the
// latter goes further. An error names `source` and
// the place as a JSON pointer.
Result<void> check_gltf_schema(nlohmann::json& document, const std::string& source);

// Whether extras of that key are read: names of morph targets, properties of bendy bones.
bool is_read_extra(std::string_view key);

}  // namespace pelt
