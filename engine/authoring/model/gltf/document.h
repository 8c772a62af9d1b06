// SPDX-License-Identifier: MIT
// A glTF file as stored: container, JSON and buffers, all untrusted.
#pragma once

#include <tiny_gltf.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <pelt/named_files.h>
#include <pelt/result.h>

#include "engine/authoring/model/gltf/channel.h"
#include "engine/authoring/model/gltf/image.h"
#include "engine/authoring/model/gltf/vrm.h"

namespace pelt {

// The end of an error about Draco.
inline constexpr const char* kDecodeDraco =
    "; to decode it, run 'npx @gltf-transform/cli cp IN.glb OUT.glb', or export the model again without Draco "
    "compression";

// The contents of a .gltf or .glb file and its buffer files. Every index in `gltf` names an existing entry and every
// number has its type and bounds (schema.h); the bytes of accessors are still unchecked (accessor.h).
struct GltfDocument {
  std::string source;                               // the file's name, for messages
  tinygltf::Model gltf;                             // its own buffers and images are empty
  std::vector<std::span<const std::byte>> buffers;  // exactly byteLength bytes each, or none
  std::vector<std::vector<std::byte>> storage;      // memory that `buffers` points into, other than the file's
  std::vector<std::vector<GltfChannel>> channels;   // of each animation; `gltf` has none
  GltfImages images;                                // images of the materials
  GltfVrm vrm;                                      // empty unless the file is a VRM
  std::vector<std::string> unread;                  // the unread contents of the file: a sentence each (unread.h)
};

// Makes an error about one location in the document.
inline tl::unexpected<Error> fail_at(const GltfDocument& document, const std::string& place, const std::string& why,
                                     ErrorCode code = ErrorCode::kInvalidFile) {
  return fail(code, document.source + ": " + place + ": " + why);
}

// Returns a name, or else the kind and number of what has none.
inline std::string name_or(const std::string& name, const char* kind, int index) {
  return name.empty() ? std::string(kind) + "_" + std::to_string(index) : name;
}

// Reads at most 512 MiB in total, JSON nested at most 256 deep, and no file outside the document's folder. Unreadable
// images are not an error (GltfImages::note). `file`: the bytes of the file at `path`, which must outlive the document.
// `beside` is import_gltf's.
Result<GltfDocument> read_gltf_document(std::span<const std::byte> file, const std::filesystem::path& path,
                                        std::vector<std::filesystem::path>* beside, NamedFiles files);

}  // namespace pelt
