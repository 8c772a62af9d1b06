// SPDX-License-Identifier: MIT
// EXT_meshopt_compression: compressed buffer views, as written by gltfpack.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// Returns which buffers are placeholders: they have no URI, and are marked as `fallback`, or nothing reads their bytes,
// as only compressed views or another extension name them. The schema has checked the document.
std::vector<bool> find_placeholders(const nlohmann::json& document);

// Decompresses buffer views of a document, whose JSON the schema has checked: each gets a buffer of its own, in
// `storage`, and loses the extension. Errors name the view: bytes that are outside the buffer or not data of the mode;
// sizes that the mode does not allow; more than kMaxGltfBytes in total.
Result<void> decompress_views(nlohmann::json& document, const std::string& source,
                              std::vector<std::span<const std::byte>>& buffers,
                              std::vector<std::vector<std::byte>>& storage);

}  // namespace pelt
