// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

#include "samples/renderer/image.h"

namespace pelt::test {

// Reads a PNG. None: there is no such file, or it is no PNG.
std::optional<samples::Image> read_png(const std::filesystem::path& path);

}  // namespace pelt::test
