// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include <pelt/nearest_name.h>

#include "engine/character/base/formatted.h"

namespace pelt {
namespace {

// Returns the Levenshtein distance, computed one row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

std::string list_of(std::span<const std::string_view> names, std::size_t most) {
  std::string list;
  for (const std::string_view name : names.first(std::min(names.size(), most))) {
    list += list.empty() ? "" : ", ";
    list += name;
  }
  if (names.size() > most) list += formatted(" and {} more", names.size() - most);
  return list;
}

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  // Known names are much shorter: the cut keeps the nearest, and bounds the work for a huge malicious key.
  name = name.substr(0, 256);
  std::string_view nearest;
  std::size_t least = static_cast<std::size_t>(-1);
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  if (nearest.empty() || 2 * least > std::max(name.size(), nearest.size())) return {};
  return formatted("; did you mean '{}'?", nearest);
}

std::string hint_of(std::string_view name, std::span<const std::string_view> known) {
  const std::string hint = did_you_mean(name, known);
  return hint.empty() && !known.empty() ? "; there are: " + list_of(known, 12) : hint;
}

Error unknown_name(std::string_view what, std::string_view plural, std::string_view name,
                   std::span<const std::string_view> known) {
  name = name.substr(0, 64);
  if (known.empty())
    return {ErrorCode::kNotFound, formatted("there is no {} '{}', and there are no {}", what, name, plural)};
  const std::string hint = did_you_mean(name, known);
  return {ErrorCode::kNotFound,
          formatted("there is no {} '{}'{} There are: {}", what, name, hint.empty() ? "." : hint, list_of(known, 50))};
}

}  // namespace pelt
