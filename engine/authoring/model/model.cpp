// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include <pelt/model.h>

#include "engine/authoring/base/not_found.h"
#include "engine/authoring/model/find_named.h"
#include "engine/authoring/model/note_size.h"

namespace pelt {

const Mesh* Model::find_mesh(std::string_view mesh_name) const {
  const auto found = std::ranges::find(meshes, mesh_name, &Mesh::name);
  return found == meshes.end() ? nullptr : &*found;
}

Result<std::uint32_t> find_joint(const Skeleton& skeleton, const std::string& name, const std::string& what) {
  if (const auto joint = skeleton.find(name)) return *joint;
  return not_found(what, "joint", name, skeleton.joints, &Joint::name);
}

Result<const Mesh*> find_mesh(const Model& model, const std::string& name, const std::string& what) {
  if (const Mesh* mesh = model.find_mesh(name)) return mesh;
  return not_found(what, "mesh", name, model.meshes, &Mesh::name);
}

void note_size(float size, ImportReport& report) {
  constexpr float kLeast = 0.01f, kMost = 50;  // of a character, metres
  if (size >= kLeast && size <= kMost) return;
  report.notes.push_back(fmt::format("{:.4g} m across: is the file in {}, instead of metres?", size,
                                     size > kMost ? "centimetres" : "kilometres"));
}

}  // namespace pelt
