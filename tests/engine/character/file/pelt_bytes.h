// SPDX-License-Identifier: MIT
// A character that has everything that a .pelt file holds.
#pragma once

#include <gtest/gtest.h>

#include <pelt/dual_quaternion.h>
#include <pelt/pelt_file.h>
#include <pelt/rig.h>
#include <pelt/surface_ffd.h>

#include "tests/support/driven.h"
#include "tests/support/sealed.h"
#include "tests/support/tube.h"

namespace pelt {

// Makes a character with every pose kernel and blend mode, a control mesh that writes frames, materials, texture
// coordinates, a matrix joint, and a clip of each interpolation.
inline Character make_character() {
  Model model = test::make_tube({.around = 5, .along = 4});
  model.name = "test";
  for (const char* name : {"second", "third", "fourth", "cage"}) {
    Mesh mesh = model.meshes[0];
    mesh.name = name;
    model.meshes.push_back(mesh);
  }
  model.materials = {{"skin", {1, 0.5f, 0.25f, 1}}, {"", {}}};
  model.meshes[0].uvs.assign(model.meshes[0].positions.size(), glm::vec2(0.5f, 0.25f));
  const auto triangles = static_cast<std::uint32_t>(model.meshes[0].triangles.size());
  model.meshes[0].parts = {{0, 3, 1}, {3, triangles - 3, -1}};
  model.skeleton.joints[1].matrix = glm::mat4(1.0f);
  model.skeleton.human_bones = {{"head", 1}};
  model.clips = {
      {"wave",
       2,
       {{0, ChannelPath::kTranslation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 0, 0}},
        {1, ChannelPath::kRotation, Interpolation::kStep, {0.5f}, {0, 0, 0, 1}}}},
      {"hold", 1, {{1, ChannelPath::kScale, Interpolation::kCubicSpline, {0}, {0, 0, 0, 1, 1, 1, 0, 0, 0}}}},
  };
  Rig rig;
  rig.layers.push_back({"second", DualQuaternionParameters{}, {}});
  SurfaceFfdParameters ffd;
  ffd.elements = 4;
  ffd.driver.mesh = "cage";
  rig.layers.push_back({"third", ffd, {}});
  ffd.mode = SurfaceFfdParameters::Mode::kBasic;
  rig.layers.push_back({"fourth", ffd, {}});
  rig.anchors = {{.name = "button", .near = glm::vec3(1, 0.5f, 0.5f)}};
  return test::bound(model, rig).character;
}

// Returns the error of reading `bytes`, or "accepted".
inline std::string error_of(const test::Bytes& bytes) {
  const auto character = deserialize(bytes, "x.pelt");
  return character ? "accepted" : character.error().message;
}

}  // namespace pelt
