// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/named_files.h>
#include <pelt/result.h>

namespace pelt {

// Packs a .gltf or .glb file and the files that it names by URI into one .glb: its buffers become one, images become
// buffer views; everything else stays. A .glb that names no file is returned unchanged. An image that is unreadable or
// of unknown kind keeps its URI. Errors: import_gltf's for the container, the JSON, buffers and buffer views; with
// several buffers also kUnsupported for an extension of a buffer view that names a buffer, except
// EXT_meshopt_compression. `files`: import_gltf's.
Result<std::vector<std::byte>> pack_gltf(const std::filesystem::path& path, NamedFiles files = NamedFiles::kFolder);

// Returns a .glb with new weights: those of a model that was imported from it and painted since. All else stays. A mesh
// gets a new skin if its own lacks a joint; one that several nodes show is copied. Errors: import_gltf's; kInvalidFile
// if the model is of another file; kUnsupported for an instance (EXT_mesh_gpu_instancing). `source`: for errors.
Result<std::vector<std::byte>> with_weights(std::span<const std::byte> glb, const Model& model,
                                            const std::string& source);

}  // namespace pelt
