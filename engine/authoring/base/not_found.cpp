// SPDX-License-Identifier: MIT
#include "engine/authoring/base/not_found.h"

#include <algorithm>

#include <pelt/nearest_name.h>

#include "engine/character/base/formatted.h"

namespace pelt {

tl::unexpected<Error> not_found(std::string_view what, std::string_view kind, std::string_view name,
                                std::span<const std::string_view> known) {
  constexpr std::size_t kShown = 12;
  std::string hint = did_you_mean(name, known);
  if (hint.empty() && !known.empty()) {
    const std::vector<std::string> shown(known.begin(), known.begin() + std::min(known.size(), kShown));
    const std::string more = known.size() > kShown ? formatted(" and {} more", known.size() - kShown) : "";
    hint = formatted("; there are: {}{}", joined(shown, ", "), more);
  }
  return fail(ErrorCode::kNotFound, formatted("{}: there is no {} '{}'{}", what, kind, name, hint));
}

}  // namespace pelt
