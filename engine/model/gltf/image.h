// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

// The images that materials name for their base colour, each once.
struct GltfImages {
  std::vector<EncodedImage> images;
  std::vector<std::int32_t> of_material;  // in `images`, -1: none
  std::string note;                       // of what was left out; empty: nothing
};

// "image/png" and so on, by how the bytes begin; empty: none that glTF or an extension of it knows.
std::string_view image_type(std::span<const std::byte> bytes);

// Reads images, textures and baseColorTexture of a document whose materials and bufferViews are checked by the schema,
// and the rest not: what is wrong, of other texture coordinates than TEXCOORD_0, or beyond 256 MiB is left out and
// noted. `load` reads a URI; the string is for its error.
GltfImages read_images(
    const nlohmann::json& document, std::span<const std::span<const std::byte>> buffers,
    const std::function<Result<std::vector<std::byte>>(const std::string& uri, const std::string& place)>& load);

}  // namespace pelt
