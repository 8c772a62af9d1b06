// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <utility>

#include <pelt/result.h>

namespace pelt {

// Makes an error kInvalidArgument of a formatted sentence.
template <class... Arguments>
tl::unexpected<Error> invalid(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  return fail(ErrorCode::kInvalidArgument, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace pelt
