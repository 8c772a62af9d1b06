// SPDX-License-Identifier: MIT
// A long run: a crowd whose instances and characters come and go, on devices that refuse memory, are lost and are made
// anew. What the crowd writes is what the CPU does, and what the process holds does not grow. PELT_SOAK_SECONDS: how
// long; PELT_SOAK_SEED: the run.
#include <cstdint>
#include <exception>
#include <iostream>

#include "tests/soak/counted_vulkan.h"
#include "tests/soak/process.h"
#include "tests/soak/soak_scene.h"
#include "tests/support/gpu.h"

namespace pelt::runtime {
namespace {

using test::ProcessCounts;
using test::VulkanCounts;

// What the heap may grow by, bytes. The validation layer keeps something of every frame, so that scenes without it are
// measured alone.
constexpr std::size_t kSceneGrowth = 128 << 10;
constexpr std::int64_t kMeanGrowth = 24 << 10;  // of a scene; the loader and the driver keep some 9 kB of each
constexpr std::uint64_t kWarmScenes = 4;        // the loader and the driver keep some of what the first ones make
static_assert(LongRun::kScenes >= kWarmScenes + 2, "one of two scenes behind the first ones is without validation");

void play(LongRun& run) {
  try {
    Scene scene(run);
    for (std::uint32_t frames = run.one_in(3) ? run.below(2000) : UINT32_MAX; frames > 0 && run.goes_on(); --frames)
      scene.frame();
  } catch (const Lost&) {
    ++run.losses;
  } catch (const std::exception& error) {
    ADD_FAILURE() << run.place() << ": " << error.what();
  }
  test::lose_device_in(0);
  ++run.scenes;
  EXPECT_EQ(to_string(test::vulkan_counts()), to_string(VulkanCounts{})) << run.place();
}

TEST(Soak, HoldsWhatItHeld) {
  if (const Result<Device> device = Device::create(); !device) PELT_SKIP(device.error().message);
  LongRun run;
  ProcessCounts before = test::process_counts();
  std::int64_t growth = 0;  // bytes of heap, over the warm scenes without validation
  std::int64_t warm = 0;    // their number
  while (run.goes_on()) {
    std::cout << run.place() << std::endl;  // a crash has no other report
    const bool validates = run.validates();
    play(run);
    const ProcessCounts now = test::process_counts(before.threads);
    if (run.scenes > kWarmScenes) {
      EXPECT_EQ(now.files, before.files) << run.place();
      EXPECT_LE(now.threads, before.threads) << run.place();
      if (!validates) {
        EXPECT_LE(now.heap, before.heap + kSceneGrowth) << run.place();
        growth += static_cast<std::int64_t>(now.heap) - static_cast<std::int64_t>(before.heap);
        ++warm;
      }
    }
    before = now;
  }
  EXPECT_LE(growth, static_cast<std::int64_t>(kSceneGrowth) + warm * kMeanGrowth)
      << run.place() << ": the heap grows scene by scene";
  EXPECT_LE(4 * run.grown_rounds, run.steady_rounds + 4) << run.place() << ": the heap grows round by round";
  if (run.is_whole()) {
    EXPECT_GT(warm, 0);
    EXPECT_GT(run.compared, 0u);
    EXPECT_GT(run.steady_rounds, 0u);
    EXPECT_GT(run.losses, 0u);
    EXPECT_GT(run.refusals, 0u);
    EXPECT_GT(run.uploads, 0u);
  }
  std::cout << run.place() << ": " << run.losses << " devices lost, " << run.refusals << " refusals, " << run.uploads
            << " uploads, " << run.compared << " comparisons; " << run.grown_rounds << " of " << run.steady_rounds
            << " rounds grew, " << warm << " warm scenes by " << growth << " bytes; " << to_string(before) << '\n';
}

}  // namespace
}  // namespace pelt::runtime
