// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include <pelt/result.h>

#include "samples/viewer/app/run.h"
#include "samples/viewer/app/session.h"

namespace pelt::viewer {

// Calls `run` with session options without make_target; it must destroy the session before it returns.
// Messages of the validation layer go to stderr, and make success an error.
Result<void> run_validated(const RunOptions& options, const std::function<Result<void>(SessionOptions)>& run);

}  // namespace pelt::viewer
