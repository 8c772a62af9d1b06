// SPDX-License-Identifier: MIT
// Accessors: typed views of a document's bytes, including sparse ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/result.h>

#include "engine/authoring/model/gltf/document.h"

namespace pelt {

// Checks every buffer view and accessor of the document: ranges, strides, alignment, sparse indices that ascend and
// exist, finite floats, and at most 512 MiB in total when decoded. Precondition of the functions below.
Result<void> check_accessors(const GltfDocument& document);

// Returns a description such as "VEC3 of FLOAT" or "VEC4 of normalised UNSIGNED_BYTE".
std::string describe(const tinygltf::Accessor& accessor);

// Returns the count of numbers per element: 1 for SCALAR, 3 for VEC3, 16 for MAT4.
std::size_t components_of(const tinygltf::Accessor& accessor);

bool is_matrix(const tinygltf::Accessor& accessor);

// Returns all elements in sequence; normalised integers are decoded as in glTF 2.0, section 3.6.2.2.
std::vector<float> read_floats(const GltfDocument& document, int accessor);

// Returns all elements of an accessor of unsigned integers.
std::vector<std::uint32_t> read_integers(const GltfDocument& document, int accessor);

}  // namespace pelt
