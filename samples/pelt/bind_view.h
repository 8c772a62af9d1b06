// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>

namespace pelt::samples {

struct BindView {
  std::vector<float> values;  // one a vertex of the instance, in [0, 1]
  std::string least;          // what 0 means, and 1
  std::string most;
};

// What bind found, to be drawn over the skin: "unbound" (1 where no driver moves a vertex), "distance" (metres at bind
// to the closest driver of the last stage) or "influences" (palette elements a vertex). Errors: another word, no driver
// to be distant from.
Result<BindView> view_of_bind(const Character& character, const std::string& what);

}  // namespace pelt::samples
