// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// Returns "; did you mean 'walk'?" with the name in `known` nearest to `name`: the one that needs the fewest
// insertions, deletions and substitutions of bytes; the first of several. Empty if they exceed half of the bytes of the
// longer name.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

// did_you_mean() or, if no name is near, "; there are: A, B and 3 more" with the first twelve; empty if none is known.
std::string hint_of(std::string_view name, std::span<const std::string_view> known);

// Returns an error kNotFound like "there is no clip 'wlak'; did you mean 'walk'? There are: walk, flex". `what` is
// "clip", `plural` "clips".
Error unknown_name(std::string_view what, std::string_view plural, std::string_view name,
                   std::span<const std::string_view> known);

// Does the same for objects; the known names are name_of(object).
template <class Things, class NameOf>
Error unknown_name(std::string_view what, std::string_view plural, std::string_view name, const Things& things,
                   const NameOf& name_of) {
  std::vector<std::string_view> known;
  for (const auto& thing : things) known.push_back(std::invoke(name_of, thing));
  return unknown_name(what, plural, name, known);
}

}  // namespace pelt
