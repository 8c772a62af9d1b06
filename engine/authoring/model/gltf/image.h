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

// The base colour images of materials, each once.
struct GltfImages {
  std::vector<EncodedImage> images;
  std::vector<std::int32_t> of_material;  // index in `images`; -1: none
  std::string note;                       // describes the images left out; empty if none are
};

// Returns "image/png" and so on, from the first bytes; empty for types that neither glTF nor its extensions have.
std::string_view image_type(std::span<const std::byte> bytes);

// Reads images, textures and baseColorTexture of a document. The schema has checked its materials and bufferViews, but
// not the rest. Leaves out and notes images that are invalid, of another kind than PNG and JPEG, use other texture
// coordinates than TEXCOORD_0, or exceed 256 MiB. `load` reads a URI; its second string is for the error.
GltfImages read_images(
    const nlohmann::json& document, std::span<const std::span<const std::byte>> buffers,
    const std::function<Result<std::vector<std::byte>>(const std::string& uri, const std::string& place)>& load);

}  // namespace pelt
