// SPDX-License-Identifier: MIT
#include "runtime/plan/input_ring.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

namespace pelt::runtime {
namespace {

// Instances of 2, 0, 5 and 1 floats.
class InputRings : public testing::Test {
 protected:
  InputRing make(std::uint32_t copies) {
    InputRing ring(copies, rest_.size(), 5);
    memory_.assign(copies, std::vector<float>(rest_.size()));
    for (std::uint32_t s = 0; s < copies; ++s) ring.use_memory(s, std::as_writable_bytes(std::span(memory_[s])).data());
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::size_t size = firsts_[i + 1] - firsts_[i];
      ring.place(i, firsts_[i], size);
      ring.set(0, i, 0, std::span(rest_).subspan(firsts_[i], size));
    }
    return ring;
  }

  std::vector<float> rest_{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::size_t> firsts_{0, 2, 2, 7, 8};
  std::vector<std::vector<float>> memory_;  // of the last ring, by copy
};

// Once all copies have an instance's values, the ring does not write them again: bytes overwritten by the test stay.
TEST_F(InputRings, LeaveAloneWhatIsNotSetAgain) {
  for (const std::uint32_t copies : {1u, 2u, 3u}) {
    InputRing ring = make(copies);
    std::uint32_t frame = 0;
    const auto next_frame = [&](bool sets_last) {
      const std::uint32_t copy = frame++ % copies;
      if (sets_last) ring.set(copy, 3, 0, std::vector{0.5f});
      ring.finish(copy);
      return copy;
    };
    for (std::uint32_t i = 0; i < copies; ++i) next_frame(true);
    for (std::uint32_t copy = 0; copy < copies; ++copy) std::fill_n(memory_[copy].data(), rest_.size(), -1.0f);
    for (std::uint32_t i = 0; i < 2 * copies; ++i) {
      const std::vector<float> values = memory_[next_frame(true)];
      EXPECT_EQ(values, (std::vector<float>{-1, -1, -1, -1, -1, -1, -1, 0.5f})) << copies << " copies";
    }
    // An instance that is set again is written to every copy, once.
    ring.set(frame % copies, 0, 1, std::vector{9.0f});
    for (std::uint32_t i = 0; i < copies; ++i) EXPECT_EQ(memory_[next_frame(false)][1], 9.0f);
    for (std::uint32_t copy = 0; copy < copies; ++copy) memory_[copy][1] = -1;
    for (std::uint32_t i = 0; i < 2 * copies; ++i) EXPECT_EQ(memory_[next_frame(false)][1], -1.0f);
  }
}

}  // namespace
}  // namespace pelt::runtime
