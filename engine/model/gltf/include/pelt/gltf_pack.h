// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// A .gltf or .glb file with what it names by URI, as one .glb: its buffers become one, images become buffer views;
// everything else in it stays. A .glb that names nothing is returned as it is. An image that cannot be read, or is of
// an unknown kind, keeps its URI. Errors: import_gltf's of the container, the JSON, buffers and buffer views; of
// several buffers also, kUnsupported, an extension of a buffer view that names one, EXT_meshopt_compression apart.
Result<std::vector<std::byte>> pack_gltf(const std::filesystem::path& path);

}  // namespace pelt
