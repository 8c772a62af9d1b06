// SPDX-License-Identifier: MIT
// Loads buffers and images that a glTF document names by URI: files in its folder, or base64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/named_files.h>
#include <pelt/result.h>

#include "engine/character/glb/container.h"

namespace pelt {

// Most bytes that a document may make Pelt store: its file, the files that it names, decoded data URIs.
inline constexpr std::uint64_t kMaxGltfBytes = std::uint64_t{512} << 20;

// Loads buffers and images in sequence and counts the bytes: kMaxGltfBytes in total. Reads no file outside the
// document's folder.
class GltfLoader {
 public:
  // `path`, that of the document, must outlive the loader. `beside` and `files` are import_gltf's.
  GltfLoader(const std::filesystem::path& path, std::uint64_t bytes_read, std::vector<std::filesystem::path>* beside,
             NamedFiles files = NamedFiles::kFolder)
      : path_(path), bytes_read_(bytes_read), beside_(beside), files_(files) {}

  // Errors begin with `place`.
  Result<std::vector<std::byte>> load(const std::string& uri, const std::string& place);

 private:
  Result<std::vector<std::byte>> decode_data_uri(const std::string& uri, const std::string& place) const;
  Result<std::vector<std::byte>> read_beside(const std::string& uri, const std::string& place) const;

  const std::filesystem::path& path_;
  std::uint64_t bytes_read_;
  std::vector<std::filesystem::path>* beside_;
  NamedFiles files_;
};

// Loads all buffers of a document, whose JSON the schema has checked: exactly byteLength bytes each, in the container
// or added to `storage`; buffers that are placeholders (meshopt.h) have none.
Result<void> load_gltf_buffers(const nlohmann::json& document, const GltfContainer& container,
                               const std::string& source, GltfLoader& loader,
                               std::vector<std::span<const std::byte>>& spans,
                               std::vector<std::vector<std::byte>>& storage);

}  // namespace pelt
