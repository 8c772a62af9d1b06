// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <pelt/deformer_parameters.h>
#include <pelt/tools/fields.h>

namespace pelt {

void Fields::deformer(const Field&, const Field&, DeformerParameters& value) { value.describe_to(*this); }

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
