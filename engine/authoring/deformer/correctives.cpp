// SPDX-License-Identifier: MIT
#include "engine/authoring/deformer/correctives.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <pelt/try.h>

#include "engine/authoring/model/find_named.h"
#include "engine/character/base/invalid.h"
#include "engine/character/rows/surface_gradient.h"
#include "engine/character/rows/tilt.h"
#include "shaders/driver/key_pose/pose.h"

namespace pelt {
namespace {

// Returns a morph target with these offsets. Normals and tangents turn with the surface; `everywhere`: also at vertices
// without an offset.
MorphTarget make_target(const Mesh& mesh, std::vector<glm::vec3> offsets, bool everywhere) {
  MorphTarget target;
  const std::vector<glm::vec3> tilt = tilts(SurfaceGradient(mesh.positions, mesh.triangles), offsets);
  for (std::size_t v = 0; v < tilt.size(); ++v) {
    const bool turns = everywhere || offsets[v] != glm::vec3(0.0f);
    const glm::mat3 change = shared::tilt_rotation(turns ? tilt[v] : glm::vec3(0.0f)) - glm::mat3(1.0f);
    if (!mesh.normals.empty()) target.normals.push_back(change * mesh.normals[v]);
    if (!mesh.tangents.empty()) target.tangents.push_back(change * glm::vec3(mesh.tangents[v]));
  }
  target.offsets = std::move(offsets);
  return target;
}

Result<void> add_corrective(const Corrective& corrective, const Mesh& mesh, const Model& model, const std::string& what,
                            bool learnt, SkinKeys& skin) {
  if (!corrective.keys.control.empty() || !corrective.keys.muscle.empty()) {
    return invalid("{}: correctives follow angles; only drivers follow a control or a muscle", what);
  }
  PELT_ASSIGN(const auto keys, skin.weights.add_keys(corrective.keys, model, what));
  for (std::size_t p = 0; p < keys.size(); ++p) {
    const KeyPose& pose = corrective.keys.poses[p];
    const std::string name = fmt::format("{}, pose {}", what, p);
    if (!pose.turns.empty()) return invalid("{}: only drivers have frames to turn", name);
    if (!pose.morph_target.empty()) {
      PELT_ASSIGN(const auto target, key_weights::find_morph_target(mesh, pose.morph_target, name));
      skin.keys_of[target].push_back(keys[p]);
    }
    if (pose.offsets.empty()) continue;
    PELT_ASSIGN(auto offsets, key_weights::listed_offsets(pose, mesh, name));
    skin.keys_of[static_cast<std::uint32_t>(mesh.morph_targets.size() + skin.added.size())].push_back(keys[p]);
    skin.added.push_back(make_target(mesh, std::move(offsets), !learnt));
  }
  return {};
}

}  // namespace

Result<Correctives> make_correctives(const Rig& rig, const Model& model, std::size_t learnt) {
  Correctives correctives;
  for (std::size_t i = 0; i < rig.correctives.size(); ++i) {
    const Corrective& corrective = rig.correctives[i];
    const std::string what = fmt::format("corrective {} ('{}')", i + 1, corrective.mesh);
    PELT_ASSIGN(const auto mesh, find_mesh(model, corrective.mesh, what));
    PELT_TRY(add_corrective(corrective, *mesh, model, what, i >= learnt, correctives[corrective.mesh]));
  }
  return correctives;
}

}  // namespace pelt
