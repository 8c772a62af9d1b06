// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// Makes an error kNotFound: "`what`: there is no `kind` 'name'; did you mean 'nearest'?", with hint_of().
tl::unexpected<Error> not_found(std::string_view what, std::string_view kind, std::string_view name,
                                std::span<const std::string_view> known);

// Does the same for objects; the known names are name_of(object).
template <class Things, class NameOf>
tl::unexpected<Error> not_found(std::string_view what, std::string_view kind, std::string_view name,
                                const Things& things, const NameOf& name_of) {
  std::vector<std::string_view> known;
  for (const auto& thing : things) known.push_back(std::invoke(name_of, thing));
  return not_found(what, kind, name, known);
}

}  // namespace pelt
