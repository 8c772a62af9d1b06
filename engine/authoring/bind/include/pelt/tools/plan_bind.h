// SPDX-License-Identifier: MIT
// Says what a bind would do and about how long it would take, without binding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/bind.h>

namespace pelt {

struct PlannedMesh {
  std::string mesh;
  std::size_t vertices = 0;
  std::size_t triangles = 0;
  double influences = 0;              // painted joints a vertex, in the mean
  std::vector<std::string> moved_by;  // from the bottom up, "layer 1 (mos)"
  bool is_driver = false;             // it is posed, and not shown
};

// What a layer has besides the skeleton.
struct PlannedDriver {
  std::string layer;
  std::string source;  // in words: a mesh of the model, a file with its vertices, or what is made
};

struct PlannedStage {
  std::string name;
  double seconds = 0;
};

struct BindPlan {
  std::vector<PlannedMesh> meshes;  // of the model, and those of muscles
  std::vector<PlannedDriver> drivers;
  std::size_t joints = 0;
  std::vector<PlannedStage> stages;  // those that take time, with the seconds that they take as a rule
  std::uint64_t bytes = 0;           // of the .pelt file, about
  std::vector<std::string> notes;    // of the model's data that is not carried, and of the plan
};

// Checks a model and a rig as bind does before it begins, reads the files that the rig names, and says what bind would
// do. Most binds take half to twice of the seconds and of the bytes. Errors are those that bind finds before it begins:
// what only a deformer finds, as it binds, is not among them. Of the options, `progress` is not used.
Result<BindPlan> plan_bind(const Model& model, const Rig& rig, const BindOptions& options = {});

}  // namespace pelt
