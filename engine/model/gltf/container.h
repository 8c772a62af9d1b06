// SPDX-License-Identifier: MIT
// The outermost layer of a glTF file: the container and its JSON, with nothing in them believed.
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

// The parts of a file: JSON, and the binary chunk where the file is a .glb that has one.
struct GltfContainer {
  std::string_view json;
  std::optional<std::span<const std::byte>> binary;
};

// Whether the bytes are of a .glb.
bool is_glb(std::span<const std::byte> bytes);

// Binary glTF (glTF 2.0, section 4), or the text of a .gltf, which is all JSON. Errors name `source` and the byte.
Result<GltfContainer> open_gltf(std::span<const std::byte> bytes, const std::string& source);

// Nested at most 256 deep, of bounded size.
Result<nlohmann::json> parse_gltf_json(std::string_view text, const std::string& source);

// A number of `object` that counts something, less than 2^53, or `absent` where there is none; nothing where it is no
// such number.
std::optional<std::size_t> count_of(const nlohmann::json& object, std::string_view key,
                                    std::optional<std::size_t> absent = std::nullopt);

// A .glb; no binary chunk where `binary` is empty. Errors: kUnsupported from 4 GiB on.
Result<std::vector<std::byte>> format_glb_container(const nlohmann::json& document, std::span<const std::byte> binary,
                                                    const std::string& source);

}  // namespace pelt
