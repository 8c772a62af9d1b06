// SPDX-License-Identifier: MIT
// Accessors: typed views of a document's bytes, sparse ones too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/result.h>

#include "engine/model/gltf/document.h"

namespace pelt {

// Checks every buffer view and accessor of the document: ranges, strides, alignment, sparse indices that ascend and
// exist, floats that are finite, and no more than 512 MiB when all are decoded. The functions below need that.
Result<void> check_accessors(const GltfDocument& document);

// "VEC3 of FLOAT", "VEC4 of normalised UNSIGNED_BYTE".
std::string describe(const tinygltf::Accessor& accessor);

// Numbers of one element: 1 for SCALAR, 3 for VEC3, 16 for MAT4.
std::size_t components_of(const tinygltf::Accessor& accessor);

bool is_matrix(const tinygltf::Accessor& accessor);

// All elements, one after the other; normalised integers as glTF 2.0, section 3.6.2.2, decodes them.
std::vector<float> read_floats(const GltfDocument& document, int accessor);

// All elements of an accessor of unsigned integers.
std::vector<std::uint32_t> read_integers(const GltfDocument& document, int accessor);

}  // namespace pelt
