// SPDX-License-Identifier: MIT
// Tests the kernel of secondary action by itself, and the records that it refuses.
#include "shaders/hierarchical_bspline/action_pose.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <pelt/frame.h>

#include "engine/character/records.h"
#include "tests/support/breakage.h"
#include "tests/support/swinging.h"

namespace pelt::hierarchical_bspline {
namespace {

using test::swinging_tube;

constexpr float kInfinite = std::numeric_limits<float>::infinity();

// One mass, posed only by the kernel: its rod runs from the origin to a vertex at x = 1 m; it floats and is not damped.
class Rod {
 public:
  // Poses it with its vertex at `target`, and returns the position of the mass.
  glm::vec3 pose(float clock, glm::vec3 target, bool restarts = false) {
    const shared::PoseWork work{nullptr, nullptr, &target, &clock, &identity_[0].x, restarts};
    const shared::ActionEntries entries = shared::pose_action(record, state_, work);
    state_ = entries.state;
    return transform_point(entries.shift, record.rest);
  }
  glm::vec3 velocity() const { return glm::vec3(state_[1]); }

  shared::ActionRecord record{.vertex = 0,
                              .entry = 0,
                              .clock = 0,
                              .rest = {1, 0, 0},
                              .root = glm::vec3(0),
                              .normal = {0, 1, 0},
                              .kept = 1,
                              .pull = 0,
                              .kept_into = 1,
                              .pull_into = 0,
                              .reach = 0.5f};

 private:
  Affine identity_ = affine_identity();
  Affine state_{0};
};

constexpr glm::vec3 kAtRest{1, 0, 0};
constexpr glm::vec3 kAside{1, 0, 0.1f};

TEST(Rods, BearClocksThatAreNone) {
  for (const float bad : {std::nanf(""), kInfinite, -kInfinite, -7.0f, 1.0f + 1e-7f, 1e-40f, 1e30f}) {
    Rod rod;
    rod.pose(0, kAtRest);
    rod.pose(bad, kAside);
    rod.pose(1, kAtRest);
    const glm::vec3 mass = rod.pose(2, kAtRest);
    EXPECT_TRUE(std::isfinite(glm::length(mass)) && glm::distance(mass, kAtRest) <= 0.51f) << bad;
    EXPECT_TRUE(std::isfinite(glm::length(rod.velocity()))) << bad;
  }
}

TEST(Rods, BendAndDoNotStretch) {
  Rod rod;
  rod.pose(0, kAtRest);
  rod.pose(1, kAtRest);
  const glm::vec3 along(1.1f, 0, 0);
  EXPECT_LT(glm::distance(rod.pose(2, along), along), 1e-6f) << "what moves along the rod bends it not";
  EXPECT_NEAR(rod.velocity().x, 24, 1e-3f) << "the rod carries its mass";
  const glm::vec3 mass = rod.pose(3, {1.1f, 0, 0.6f});
  EXPECT_GT(glm::distance(mass, {1.1f, 0, 0.6f}), 0.3f);
  EXPECT_NEAR(glm::length(mass), glm::length(glm::vec2(1.1f, 0.6f)), 1e-6f);
}

TEST(Rods, StopWhereTheirReachEnds) {
  Rod rod;
  rod.pose(0, kAtRest);
  rod.pose(1, kAtRest);
  rod.pose(2, {1, 0, 100});  // the mass is dragged along
  rod.pose(3, kAtRest);
  EXPECT_LT(glm::length(rod.velocity()), 30000);
  for (int step = 4; step < 8; ++step) rod.pose(static_cast<float>(step), kAtRest);
  EXPECT_LT(glm::length(rod.velocity()), 1e-2f) << "thrown to the end of its reach, it stays there";
  const glm::vec3 mass = rod.pose(8, kAtRest);
  EXPECT_NEAR(std::tan(std::acos(std::min(mass.x, 1.0f))), 0.5f, 1e-3f);
}

shared::ActionRecord first_action(const CharacterData& data) {
  const auto pass = std::ranges::find(data.passes, PoseKernel::kSecondaryAction, &PalettePass::kernel);
  return read_record<shared::ActionRecord>(pass->records, 0);
}

template <class Change>
void change_action(CharacterData& data, const Change& change) {
  const auto pass = std::ranges::find(data.passes, PoseKernel::kSecondaryAction, &PalettePass::kernel);
  shared::ActionRecord record = first_action(data);
  change(record);
  std::memcpy(pass->records.data(), &record, sizeof record);
}

// Returns a palette entry that the pass writes itself.
std::uint32_t own_entry(const CharacterData& data) {
  return std::ranges::find(data.passes, PoseKernel::kSecondaryAction, &PalettePass::kernel)->first_entry;
}

const test::Breakage kBreakages[] = {
    {"Vertex", [](CharacterData& d) { change_action(d, [&](auto& r) { r.vertex = d.vertex_count(); }); },
     "names a vertex that no earlier stage moves"},
    {"Entry", [](CharacterData& d) { change_action(d, [&](auto& r) { r.entry = own_entry(d); }); },
     "names a palette entry that no earlier stage writes a frame to"},
    {"Clock", [](CharacterData& d) { change_action(d, [](auto& r) { r.clock += 1; }); },
     "names an input that is not a clock"},
    {"Kept", [](CharacterData& d) { change_action(d, [](auto& r) { r.kept = 1.01f; }); }, "displacement grows"},
    {"Reach", [](CharacterData& d) { change_action(d, [](auto& r) { r.reach = std::nanf(""); }); }, "not finite"},
    {"SecondClock",
     [](CharacterData& d) {
       d.controls.push_back({.kind = ControlKind::kClock, .name = "second", .mesh = "", .input = d.input_count++});
     },
     "is a second clock"},
    {"NoClock", [](CharacterData& d) { d.controls[0].kind = ControlKind::kTwist; },
     "names an input that is not a clock"},
};

TEST(ActionRecords, WithAFaultAreRefused) { test::expect_refused(kBreakages, *swinging_tube()); }

}  // namespace
}  // namespace pelt::hierarchical_bspline
