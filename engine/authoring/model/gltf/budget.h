// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "engine/authoring/model/gltf/document.h"

namespace pelt {

// Bounds the size of the model. Several nodes may show one mesh, channels may share a sampler, and an accessor may need
// no buffer, so the size of the file does not bound that of the model, but adds to the bound. Most models that
// format_glb writes can be read again: data written in full raises the bound by the size that the model gains over the
// first import. Unread bytes of the first file may have raised it further.
class GltfBudget {
 public:
  explicit GltfBudget(const GltfDocument& document) : source_(document.source) {
    for (const auto& buffer : document.buffers) most_ += buffer.size();
  }

  // `name`: the mesh or clip that needs the bytes.
  Result<void> take(std::uint64_t bytes, const std::string& name) {
    taken_ += std::min(bytes, most_ + 1);
    if (taken_ <= most_) return {};
    return fail(ErrorCode::kUnsupported, fmt::format("{}: up to '{}', the model would take more than {} MiB", source_,
                                                     name.substr(0, 100), most_ >> 20));
  }

 private:
  const std::string& source_;
  std::uint64_t most_ = std::uint64_t{256} << 20;
  std::uint64_t taken_ = 0;
};

}  // namespace pelt
