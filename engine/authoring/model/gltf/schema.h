// SPDX-License-Identifier: MIT
// The schema of a glTF 2.0 document: its properties with their types and bounds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include <pelt/result.h>

namespace pelt {

inline constexpr std::string_view kDraco = "KHR_draco_mesh_compression";

// Checks every property that the importer reads: types, bounds of numbers, sizes of arrays, and that each index names
// an existing entry. Removes everything else: textures of materials, unread extensions, unknown properties, and extras
// except for the names of morph targets and the properties of bendy bones. Only these two stay unchecked. An error
// names `source` and the location as a JSON pointer. Returns a note if values of old exporters are taken as absent.
Result<std::string> check_gltf_schema(nlohmann::json& document, const std::string& source);

// Returns true if extras with that key are read: names of morph targets, properties of bendy bones, marks of anchors.
bool is_read_extra(std::string_view key);

}  // namespace pelt
