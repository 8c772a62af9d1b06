// SPDX-License-Identifier: MIT
#include "samples/pelt/element_weights.h"

#include <fmt/format.h>

#include <optional>

#include <pelt/nearest_name.h>
#include <pelt/tools/inspect.h>

#include "samples/pelt/input.h"

namespace pelt::samples {

Result<std::vector<float>> element_weights(const Character& character, const std::string& element) {
  const CharacterData& data = *character;
  const std::optional<std::uint32_t> joint = data.skeleton.find(element);
  if (joint) return joint_shares(data, *joint);
  const std::optional<std::uint32_t> number = parse_number(element, 0u, ~0u);
  if (!number) return tl::unexpected(unknown_name("joint", "joints", element, data.skeleton.joints, &Joint::name));
  if (*number >= data.palette_size) {
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no palette entry {}; there are {}, numbered from 0", *number, data.palette_size));
  }
  return entry_shares(data, *number);
}

}  // namespace pelt::samples
