// SPDX-License-Identifier: MIT
// A glTF file as it lies on disk: container, JSON and buffers, read with nothing believed.
#pragma once

#include <tiny_gltf.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>

#include "engine/model/gltf/image.h"

namespace pelt {

// What a .gltf or .glb file and the buffers beside it hold. Every index in `gltf` names an entry that exists and every
// number has its type and bounds (gltf_schema.h); what accessors say of the bytes is still unchecked (gltf_accessor.h).
struct GltfDocument {
  std::string source;                               // the file, for messages
  tinygltf::Model gltf;                             // its own buffers and images are empty
  std::vector<std::span<const std::byte>> buffers;  // exactly byteLength bytes each
  std::vector<std::vector<std::byte>> storage;      // what `buffers` points into
  GltfImages images;                                // of the materials
  std::vector<std::string> unread;                  // what else the file holds: a sentence each (gltf_unread.h)
};

// An error about one place of the document.
inline tl::unexpected<Error> fail_at(const GltfDocument& document, const std::string& place, const std::string& why,
                                     ErrorCode code = ErrorCode::kInvalidFile) {
  return fail(code, document.source + ": " + place + ": " + why);
}

// Reads at most 512 MiB in all, JSON nested at most 256 deep, and no file outside the document's folder. Images that
// cannot be read are no error (GltfImages::note). `beside`: import_gltf's.
Result<GltfDocument> read_gltf_document(const std::filesystem::path& path, std::vector<std::filesystem::path>* beside);

}  // namespace pelt
