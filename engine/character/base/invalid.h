// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/result.h>

#include "engine/character/base/formatted.h"

namespace pelt {

// Makes a kInvalidArgument error from a formatted() message.
template <class... Values>
tl::unexpected<Error> invalid(std::type_identity_t<TextPattern<Values...>> pattern, const Values&... values) {
  return fail(ErrorCode::kInvalidArgument, formatted<Values...>(pattern, values...));
}

}  // namespace pelt
