// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include <pelt/named_files.h>
#include <pelt/result.h>

namespace pelt {

// Packs a .gltf or .glb file and the files that it names by URI into one .glb: its buffers become one, images become
// buffer views; everything else stays. A .glb that names no file is returned unchanged. An image that is unreadable or
// of unknown kind keeps its URI. Errors: import_gltf's for the container, the JSON, buffers and buffer views; with
// several buffers also kUnsupported for an extension of a buffer view that names a buffer, except
// EXT_meshopt_compression. `files`: import_gltf's.
Result<std::vector<std::byte>> pack_gltf(const std::filesystem::path& path, NamedFiles files = NamedFiles::kFolder);

}  // namespace pelt
