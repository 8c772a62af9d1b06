// SPDX-License-Identifier: MIT
#include "samples/viewer/app/validation.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace pelt::viewer {

Result<void> run_validated(const RunOptions& options, const std::function<Result<void>(SessionOptions)>& run) {
  std::size_t messages = 0;
  SessionOptions session;
  session.device.select = options.device;
  session.device.validation = options.validate;
  if (options.validate) {
    session.device.on_validation_message = [&](const std::string& message) {
      ++messages;
      fmt::print(stderr, "validation: {}\n", message);
    };
  }
  session.app.files = options.files;
  session.app.with = options.with;
  Result<void> done = run(std::move(session));
  if (done && messages != 0) return fail(ErrorCode::kDeviceFailed, fmt::format("{} validation messages", messages));
  return done;
}

}  // namespace pelt::viewer
