// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/model.h>

namespace pelt {

// Notes a size of the meshes, the diagonal of their box, at which a file in metres has no character.
void note_size(float size, ImportReport& report);

}  // namespace pelt
