// SPDX-License-Identifier: MIT
#include "samples/pelt/gpu.h"

#include <fmt/format.h>

#include <cstdio>

namespace pelt::samples {
namespace {

Result<void> run_on(const runtime::DeviceOptions& options,
                    const std::function<Result<void>(const runtime::Device&)>& body) {
  const Result<runtime::Device> device = runtime::Device::create(options);
  if (!device) return tl::unexpected(device.error());
  return body(*device);
}

}  // namespace

Result<void> with_device(const GpuOptions& options, const std::function<Result<void>(const runtime::Device&)>& body) {
  std::size_t messages = 0;
  runtime::DeviceOptions device_options;
  device_options.select = options.device;
  device_options.validation = options.validate;
  if (options.validate) {
    device_options.on_validation_message = [&](const std::string& message) {
      ++messages;
      fmt::print(stderr, "validation: {}\n", message);
    };
  }
  const Result<void> done = run_on(device_options, body);
  if (done && messages != 0) return fail(ErrorCode::kDeviceFailed, fmt::format("{} validation messages", messages));
  return done;
}

}  // namespace pelt::samples
