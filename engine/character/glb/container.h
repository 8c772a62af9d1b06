// SPDX-License-Identifier: MIT
// The outermost layer of an untrusted glTF file: the container and its JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// The parts of a file: JSON, and the binary chunk of a .glb if there is one.
struct GltfContainer {
  std::string_view json;
  std::optional<std::span<const std::byte>> binary;
};

bool is_glb(std::span<const std::byte> bytes);

// Opens binary glTF (glTF 2.0, section 4), or a .gltf text, which is all JSON. Errors name `source` and the byte.
Result<GltfContainer> open_gltf(std::span<const std::byte> bytes, const std::string& source);

// Parses JSON of bounded size, nested at most 256 levels deep.
Result<nlohmann::json> parse_gltf_json(std::string_view text, const std::string& source);

// Returns a member of `object` that is a count below 2^53; `absent` if it is missing; none if it is not such a number.
std::optional<std::size_t> count_of(const nlohmann::json& object, std::string_view key,
                                    std::optional<std::size_t> absent = std::nullopt);

// Makes a .glb; without a binary chunk if `binary` is empty. Errors: kUnsupported from 4 GiB on.
Result<std::vector<std::byte>> format_glb_container(const nlohmann::json& document, std::span<const std::byte> binary,
                                                    const std::string& source);

}  // namespace pelt
