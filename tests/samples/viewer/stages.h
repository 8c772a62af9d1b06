// SPDX-License-Identifier: MIT
// A stage on the device of the tests, with characters to stand on it.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "samples/viewer/stage.h"
#include "tests/samples/viewer/biped.h"
#include "tests/support/gpu.h"
#include "tests/support/must.h"

namespace pelt::viewer {

inline constexpr glm::vec2 kSize(1280, 720);

class Stages : public testing::Test {
 protected:
  void SetUp() override {
    PELT_REQUIRE_GPU(test::gpu_device());
    stage_.emplace(*test::gpu_device());
  }

  Actor& show(const Bound& bound, const std::string& key = "rig") {
    Newcomer newcomer = test::must(make_newcomer(*test::gpu_device(), key, bound, 1.5));
    stage_->show(std::move(newcomer));
    return *stage_->find(key);
  }
  Actor& show(const std::string& deformer, const std::string& key = "rig") { return show(biped(deformer), key); }

  void pose() { test::must(stage_->pose(view_)); }
  samples::Camera camera() const { return samples::frame_camera(stage_->boxes(view_), kSize.x / kSize.y); }

  std::optional<Stage> stage_;
  ViewState view_;
};

inline samples::Bounds whole(const std::vector<samples::Bounds>& boxes) {
  samples::Bounds all;
  for (const samples::Bounds& box : boxes) all.add(box);
  return all;
}

inline std::uint32_t joint_of(const Actor& actor, const std::string& name) {
  const std::optional<std::uint32_t> joint = actor.character->skeleton.find(name);
  EXPECT_TRUE(joint) << name;
  return joint.value_or(0);
}

inline bool all_finite(glm::vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

}  // namespace pelt::viewer
