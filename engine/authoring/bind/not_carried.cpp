// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include <pelt/curve_skeleton.h>
#include <pelt/key_pose.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/not_carried.h>

#include "engine/authoring/base/name_list.h"

namespace pelt {
namespace {

bool has_key_pose(const DriverParameters& driver, const std::string& target) {
  return std::ranges::any_of(driver.key_poses, [&](const KeyPoseSet& set) {
    return std::ranges::any_of(set.poses, [&](const KeyPose& pose) { return pose.morph_target == target; });
  });
}

// How a rig uses the morph targets of a mesh.
class MorphUse {
 public:
  MorphUse(const Rig& rig, const std::string& mesh) {
    for (const Layer& layer : rig.layers) {
      const auto* ffd = layer.deformer.get_if<SurfaceFfdParameters>();
      if (ffd != nullptr && ffd->driver.mesh == mesh) drivers_.push_back(&ffd->driver);
      moved_by_layer_ = moved_by_layer_ || layer.target == mesh;
    }
  }

  bool is_driver() const { return !drivers_.empty(); }

  // Returns true if the morph target moves a driver, by its weight or by a key pose. It cannot move drivers that layers
  // or the game move.
  bool carries(const std::string& target) const {
    return !moved_by_layer_ && std::ranges::any_of(drivers_, [&](const DriverParameters* driver) {
      return driver->follow != Follow::kStreamed && (driver->morph_targets || has_key_pose(*driver, target));
    });
  }

 private:
  std::vector<const DriverParameters*> drivers_;
  bool moved_by_layer_ = false;
};

// Notes the morph targets of drivers that move nothing, and the clips with keys for them. Morph targets of skins always
// move them.
void note_morph_targets(const Model& model, const Rig& rig, std::vector<std::string>& notes) {
  std::map<std::string_view, std::vector<bool>> dropped;  // by mesh; for each morph target
  std::vector<std::string> meshes;
  std::size_t more_meshes = 0;
  NameList weighted;  // with a weight other than 0 in the rest pose
  for (const Mesh& mesh : model.meshes) {
    const MorphUse use(rig, mesh.name);
    if (mesh.morph_targets.empty() || !use.is_driver()) continue;
    std::vector<bool>& of_mesh = dropped[mesh.name];
    NameList targets;
    bool rest = false;
    for (const MorphTarget& target : mesh.morph_targets) {
      of_mesh.push_back(!use.carries(target.name));
      if (!of_mesh.back()) continue;
      targets.add(target.name);
      rest = rest || target.weight != 0;
    }
    if (targets.empty()) continue;
    if (rest) weighted.add(mesh.name);
    constexpr std::size_t kMaxMeshes = 4;
    if (meshes.size() == kMaxMeshes) {
      ++more_meshes;
      continue;
    }
    meshes.push_back(fmt::format("{} of '{}' ({})", targets.count(), mesh.name, targets.text()));
  }
  if (meshes.empty()) return;
  if (more_meshes > 0) meshes.push_back(fmt::format("those of {} more meshes", more_meshes));
  std::string note = fmt::format("morph targets that move no driver: {}", fmt::join(meshes, ", "));
  if (!weighted.empty()) note += fmt::format("; their weights at rest, which are not 0, of {}", weighted.text());

  NameList clips;
  NameList still;
  for (const Clip& clip : model.clips) {
    const auto is_dropped = [&](const MorphChannel& channel) {
      const auto of_mesh = dropped.find(channel.mesh);
      return of_mesh != dropped.end() && channel.target < of_mesh->second.size() && of_mesh->second[channel.target];
    };
    const auto count = std::ranges::count_if(clip.morph_channels, is_dropped);
    if (count == 0) continue;
    clips.add(clip.name);
    const bool all = static_cast<std::size_t>(count) == clip.morph_channels.size() && clip.channels.empty();
    if (all) still.add(clip.name);
  }
  if (!clips.empty()) note += fmt::format("; their keys in the clips {}", clips.text());
  if (!still.empty()) note += fmt::format(", so that nothing moves in {}", still.text());
  notes.push_back(std::move(note));
}

// Notes keys of clips for morph targets that correctives make follow the joints.
void note_corrected(const Model& model, const Rig& rig, std::vector<std::string>& notes) {
  if (rig.correctives.empty()) return;
  const auto is_corrected = [&](const MorphChannel& channel) {
    const auto mesh = std::ranges::find(model.meshes, channel.mesh, &Mesh::name);
    if (mesh == model.meshes.end() || channel.target >= mesh->morph_targets.size()) return false;
    const std::string& target = mesh->morph_targets[channel.target].name;
    return std::ranges::any_of(rig.correctives, [&](const Corrective& corrective) {
      return corrective.mesh == channel.mesh &&
             std::ranges::find(corrective.keys.poses, target, &KeyPose::morph_target) != corrective.keys.poses.end();
    });
  };
  NameList clips;
  for (const Clip& clip : model.clips) {
    if (std::ranges::any_of(clip.morph_channels, is_corrected)) clips.add(clip.name);
  }
  if (clips.empty()) return;
  notes.push_back(fmt::format("keys for morph targets that follow the joints, in the clips {}", clips.text()));
}

// Returns the attribute's name without its component: "COLOR_0" for "COLOR_0.r".
std::string_view stem(std::string_view attribute) { return attribute.substr(0, attribute.find('.')); }

void note_attributes(const Model& model, std::vector<std::string>& notes) {
  std::map<std::string_view, NameList> meshes_of;
  for (const Mesh& mesh : model.meshes) {
    std::string_view last;
    for (const VertexAttribute& attribute : mesh.attributes) {
      // The components of an attribute are consecutive.
      if (stem(attribute.name) != last) meshes_of[stem(attribute.name)].add(mesh.name);
      last = stem(attribute.name);
    }
  }
  if (meshes_of.empty()) return;
  std::vector<std::string> parts;
  for (const auto& [name, meshes] : meshes_of) parts.push_back(fmt::format("{} of {}", name, meshes.text()));
  notes.push_back(
      fmt::format("vertex attributes, which only masks and pictures of the model use: {}", fmt::join(parts, ", ")));
}

void note_materials(const Model& model, std::vector<std::string>& notes) {
  NameList images;
  NameList masks;
  for (const Material& material : model.materials) {
    if (material.base_color_image >= 0) images.add(material.name);
    if (material.alpha_mask) masks.add(material.name);
  }
  std::vector<std::string> parts;
  if (!images.empty()) parts.push_back(fmt::format("images of the materials {}", images.text()));
  if (!masks.empty()) parts.push_back(fmt::format("alpha masks of the materials {}", masks.text()));
  if (parts.empty()) return;
  notes.push_back(fmt::format("{}: pelt render --model draws them from the model", fmt::join(parts, ", ")));
}

void note_bendy_bones(const Model& model, const Rig& rig, std::vector<std::string>& notes) {
  const bool has_curves = std::ranges::any_of(
      rig.layers, [](const Layer& layer) { return layer.deformer.get_if<CurveSkeletonParameters>() != nullptr; });
  if (has_curves || model.bendy_bones.empty()) return;
  NameList joints;
  for (const JointBendyBone& bone : model.bendy_bones) {
    if (bone.joint < model.skeleton.joints.size()) joints.add(model.skeleton.joints[bone.joint].name);
  }
  notes.push_back(fmt::format("bendy bones, which only bend a curve skeleton: {}", joints.text()));
}

}  // namespace

std::vector<std::string> not_carried(const Model& model, const Rig& rig) {
  std::vector<std::string> notes;
  note_morph_targets(model, rig, notes);
  note_corrected(model, rig, notes);
  note_bendy_bones(model, rig, notes);
  note_attributes(model, notes);
  note_materials(model, notes);
  return notes;
}

}  // namespace pelt
