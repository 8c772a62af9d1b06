// SPDX-License-Identifier: MIT
// What `pelt bind --dry-run` prints.
#pragma once

#include <string>

#include <pelt/tools/bind_model.h>

namespace pelt::samples {

void print_bind_plan(const std::string& model, const PlannedModel& planned, bool json);

}  // namespace pelt::samples
