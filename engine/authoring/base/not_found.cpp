// SPDX-License-Identifier: MIT
#include "engine/authoring/base/not_found.h"

#include <pelt/nearest_name.h>

#include "engine/character/base/formatted.h"

namespace pelt {

tl::unexpected<Error> not_found(std::string_view what, std::string_view kind, std::string_view name,
                                std::span<const std::string_view> known) {
  return fail(ErrorCode::kNotFound, formatted("{}: there is no {} '{}'{}", what, kind, name, hint_of(name, known)));
}

}  // namespace pelt
