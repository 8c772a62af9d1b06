// SPDX-License-Identifier: MIT
// Scripts of the viewer: only their text, and the patches of the view in them. They are not run, since a script opens
// and writes the files that it names.

#include "samples/viewer/app/script.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/mutate.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return pelt::fuzz::mutate_json(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto script = pelt::viewer::parse_script({reinterpret_cast<const char*>(data), size}, "x.json");
  if (!script) pelt::fuzz::require(script.error().message.starts_with("x.json"), "an error names the file");
  return 0;
}
