// SPDX-License-Identifier: MIT
// A game outside of Pelt's build: loads a character and opens a device, if there is one.
#include <algorithm>
#include <cstdio>

#include <pelt/pelt_file.h>
#include <pelt/runtime/device.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const pelt::Result<pelt::Character> character = pelt::load_pelt(argv[1]);
  if (!character) {
    std::fprintf(stderr, "%s\n", character.error().message.c_str());
    return 1;
  }
  const auto devices = pelt::runtime::list_devices();
  const auto usable = [](const pelt::runtime::DeviceDescription& device) { return device.missing.empty(); };
  if (!devices || std::none_of(devices->begin(), devices->end(), usable)) {
    std::puts("no usable device");
    return 0;
  }
  const auto device = pelt::runtime::Device::create();
  if (!device) {
    std::fprintf(stderr, "%s\n", device.error().message.c_str());
    return 1;
  }
  std::printf("%zu joints on %s\n", (*character)->skeleton.joints.size(), device->description().name.c_str());
  return 0;
}
