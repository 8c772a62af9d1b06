// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include <pelt/deformer_parameters.h>
#include <pelt/tools/fields.h>

namespace pelt {

void Fields::deformer(const Field&, const Field&, DeformerParameters& value) { value.describe_to(*this); }

void Fields::conflict(std::string_view name, std::initializer_list<Given> given, std::initializer_list<Given> missing,
                      std::string_view why) {
  const bool wrong = std::ranges::all_of(given, &Given::is_given) && std::ranges::none_of(missing, &Given::is_given);
  refuse(wrong, name, why);
  clause({given.begin(), given.end()}, {missing.begin(), missing.end()});
}

void Fields::at_most_one(std::initializer_list<Given> members, std::string_view why) {
  for (auto later = members.begin(); later != members.end(); ++later) {
    for (auto earlier = members.begin(); earlier != later; ++earlier)
      conflict(later->member, {*earlier, *later}, {}, why);
  }
}

void Fields::exactly_one(std::initializer_list<Given> members, std::string_view why) {
  at_most_one(members, why);
  conflict(members.begin()->member, {}, members, why);
}

std::string text_of(Range range) {
  if (range.most < kAnyNumber.most) {
    return fmt::format("a number {} {} to {}", range.above_least ? "above" : "from", range.least, range.most);
  }
  if (range.least > kAnyNumber.least) return fmt::format("a number {} {}", range.above_least ? ">" : ">=", range.least);
  return "a number";
}

std::string text_of(IntegerRange range) { return fmt::format("an integer from {} to {}", range.least, range.most); }

bool contains(Range range, float value) {
  return (range.above_least ? value > range.least : value >= range.least) && value <= range.most;
}

}  // namespace pelt
