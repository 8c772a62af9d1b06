// SPDX-License-Identifier: MIT
// Targets of the channels of a glTF document's animations: by node and path, or by KHR_animation_pointer.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/result.h>

namespace pelt {

enum class GltfProperty { kTranslation, kRotation, kScale, kWeights };

// One of `node` and `mesh` is set. Nodes without weights of their own use the mesh's.
struct GltfChannel {
  std::size_t index = 0;  // in the animation's channels
  int sampler = 0;        // not yet checked
  GltfProperty property = GltfProperty::kTranslation;
  int node = -1;
  int mesh = -1;
  int target = -1;          // the morph target of the weight, not yet checked; -1: all
  bool by_pointer = false;  // values may have any component type
};

// Takes the channels of each animation out of a document that the schema has checked; drops those with other targets.
// Errors name `source` and the location as a JSON pointer.
Result<std::vector<std::vector<GltfChannel>>> take_channels(nlohmann::json& document, const std::string& source);

// Returns true if a pointer has the form of those that take_channels reads, whether or not its target exists.
bool is_read_pointer(std::string_view pointer);

// Returns "translation" and so on.
std::string_view path_of(GltfProperty property);

}  // namespace pelt
