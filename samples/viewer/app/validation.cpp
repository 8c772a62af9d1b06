// SPDX-License-Identifier: MIT
#include "samples/viewer/app/validation.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace pelt::viewer {

runtime::DeviceOptions Validation::device_options(const RunOptions& options) {
  runtime::DeviceOptions result;
  result.select = options.device;
  result.validation = options.validate;
  if (options.validate) {
    result.on_validation_message = [this](const std::string& message) {
      ++messages_;
      fmt::print(stderr, "validation: {}\n", message);
    };
  }
  return result;
}

Result<void> Validation::judge(const Result<void>& done) const {
  if (done && messages_ != 0) return fail(ErrorCode::kDeviceFailed, fmt::format("{} validation messages", messages_));
  return done;
}

}  // namespace pelt::viewer
