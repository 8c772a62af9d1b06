// SPDX-License-Identifier: MIT
#include "samples/pelt/element_weights.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include <pelt/nearest_name.h>
#include <pelt/tools/inspect.h>

namespace pelt::samples {
namespace {

std::optional<std::uint32_t> parse_number(const std::string& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Result<std::vector<float>> element_weights(const Character& character, const std::string& element) {
  const CharacterData& data = *character;
  const std::optional<std::uint32_t> joint = data.skeleton.find(element);
  if (joint) return joint_shares(data, *joint);
  const std::optional<std::uint32_t> number = parse_number(element);
  if (!number) {
    std::vector<std::string_view> names;
    for (const Joint& known : data.skeleton.joints) names.push_back(known.name);
    return tl::unexpected(unknown_name("joint", "joints", element, names));
  }
  if (*number >= data.palette_size) {
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no palette entry {}; there are {}, counted from 0", *number, data.palette_size));
  }
  return entry_shares(data, *number);
}

}  // namespace pelt::samples
