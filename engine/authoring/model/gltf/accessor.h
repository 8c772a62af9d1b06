// SPDX-License-Identifier: MIT
// Accessors: typed views of a document's bytes, including sparse ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/result.h>

#include "engine/authoring/model/gltf/document.h"

namespace pelt {

inline const tinygltf::Accessor& accessor_at(const GltfDocument& document, int index) {
  return document.gltf.accessors[static_cast<std::size_t>(index)];
}

// Checks accessors before they are read, the others may be invalid: ranges, strides, alignment, sparse indices that
// ascend and exist, at most 512 MiB in total when decoded. Errors begin with `place`.
class AccessorChecker {
 public:
  explicit AccessorChecker(const GltfDocument& document)
      : document_(document), checked_(document.gltf.accessors.size()), finite_(checked_.size()) {}

  Result<void> check(int accessor, const std::string& place);

  // Also checks that all numbers are finite.
  Result<void> check_finite(int accessor, const std::string& place);

 private:
  const GltfDocument& document_;
  std::vector<bool> checked_;
  std::vector<bool> finite_;
  std::uint64_t decoded_bytes_ = 0;
};

// Returns false for component types that are not in glTF 2.0.
bool has_known_type(const tinygltf::Accessor& accessor);

// Returns a description such as "VEC3 of FLOAT" or "VEC4 of normalised UNSIGNED_BYTE".
std::string describe(const tinygltf::Accessor& accessor);

// Returns the count of numbers per element: 1 for SCALAR, 3 for VEC3, 16 for MAT4.
std::size_t components_of(const tinygltf::Accessor& accessor);

bool is_matrix(const tinygltf::Accessor& accessor);

// These need a passed AccessorChecker::check. Returns all elements in sequence; normalised integers are decoded as in
// glTF 2.0, section 3.6.2.2.
std::vector<float> read_floats(const GltfDocument& document, int accessor);

// As read_floats, but elements with a number that is not finite are 0; `replaced` is raised by their count.
std::vector<float> read_finite(const GltfDocument& document, int accessor, std::size_t& replaced);

// Returns all elements of an accessor of unsigned integers.
std::vector<std::uint32_t> read_integers(const GltfDocument& document, int accessor);

}  // namespace pelt
