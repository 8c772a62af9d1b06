// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace pelt {

// Returns a deformer's name as on the command line and in messages, with hyphens: "surface-ffd".
std::string typed_name(std::string_view deformer);

}  // namespace pelt
