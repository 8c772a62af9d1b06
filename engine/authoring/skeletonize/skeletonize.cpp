// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <pelt/finite.h>
#include <pelt/skeletonize.h>
#include <pelt/try.h>

#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/closed_parts.h"
#include "engine/authoring/geometry/spread_weights.h"
#include "engine/authoring/model/builtin/model_builder.h"
#include "engine/authoring/skeletonize/force_field.h"
#include "engine/authoring/skeletonize/joints.h"
#include "engine/authoring/skeletonize/trace.h"
#include "engine/authoring/skeletonize/voxels.h"
#include "engine/authoring/skeletonize/weights.h"
#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

constexpr std::size_t kMaxJoints = 4;     // joints that move a vertex, at most
constexpr std::size_t kMostJoints = 256;  // of a skeleton; shapes without limbs would get thousands
constexpr double kNearly = 0.95;
constexpr std::size_t kMaxVoxels = 500'000;  // inside voxels; a model with more has thick limbs

Result<void> validate(const Model& model, const SkeletonizeOptions& options) {
  if (options.resolution < options.kMinResolution || options.resolution > options.kMaxResolution) {
    return invalid("{}: the resolution is {}; it must be from {} to {}", model.name, options.resolution,
                   options.kMinResolution, options.kMaxResolution);
  }
  if (!(options.detail >= 0 && options.detail <= 1)) return invalid("{}: the detail must be from 0 to 1", model.name);
  if (!(options.bone_length >= 1)) return invalid("{}: bones must be at least 1 radius long", model.name);
  for (const Mesh& mesh : model.meshes) {
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
      const glm::vec3 p = mesh.positions[i];
      if (!is_near(p)) {
        return invalid("{}: mesh '{}': vertex {} is not finite or too far away", model.name, mesh.name, i);
      }
    }
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      for (int corner = 0; corner < 3; ++corner) {
        if (mesh.triangles[t][corner] < mesh.positions.size()) continue;
        return invalid("{}: mesh '{}': triangle {} has vertex {}, but there are only {}", model.name, mesh.name, t,
                       mesh.triangles[t][corner], mesh.positions.size());
      }
    }
  }
  return {};
}

std::string describe_open(const Mesh& mesh, const MeshEdge& edge) {
  const glm::vec3 p = mesh.positions[edge.first];
  return fmt::format("mesh '{}' is open at the edge from vertex {} to {}, at ({:.4g}, {:.4g}, {:.4g})", mesh.name,
                     edge.first, edge.second, p.x, p.y, p.z);
}

struct Surface {
  std::vector<glm::vec3> positions;  // of all meshes, concatenated
  std::vector<glm::uvec3> closed;    // triangles, as in ClosedParts
  std::vector<glm::uvec3> capped;    // with their caps
  std::vector<glm::uvec3> sheets;
  std::vector<glm::uvec3> open;  // parts with holes, without caps, and sheets
  std::string sheet;             // describes the first sheet; empty without one
};

Surface find_surface(const Model& model, SkeletonizeReport& report) {
  Surface surface;
  for (const Mesh& mesh : model.meshes) {
    const ClosedParts parts = close_parts(mesh.positions, mesh.triangles);
    if (parts.open_edge) {
      report.notes.push_back(fmt::format(
          "{}; of its {} parts {} have holes that count as closed, {} in all, and {} are sheets that count as walls",
          describe_open(mesh, *parts.open_edge), parts.parts, parts.capped_parts, parts.holes, parts.sheet_parts));
    }
    if (parts.sheet_edge && surface.sheet.empty()) {
      surface.sheet = describe_open(mesh, *parts.sheet_edge) + " and is too flat to be filled";
    }
    const auto first = static_cast<std::uint32_t>(surface.positions.size());
    const auto add = [&](std::vector<glm::uvec3>& to, const std::vector<glm::uvec3>& triangles) {
      for (const glm::uvec3 t : triangles) to.push_back(t + first);
    };
    add(surface.closed, parts.closed);
    add(surface.capped, parts.capped);
    add(surface.capped, parts.caps);
    add(surface.sheets, parts.sheets);
    add(surface.open, parts.capped);
    add(surface.open, parts.sheets);
    surface.positions.insert(surface.positions.end(), mesh.positions.begin(), mesh.positions.end());
  }
  return surface;
}

// Returns the end of an error's sentence.
std::string where(const Surface& surface) { return surface.sheet.empty() ? "" : "; " + surface.sheet; }

double diagonal(const Surface& surface) {
  Bounds<glm::dvec3> bounds;
  bounds.add(surface.positions, surface.closed);
  bounds.add(surface.positions, surface.capped);
  bounds.add(surface.positions, surface.sheets);
  return glm::length(bounds.size());
}

struct Found {
  skeletonize::Voxels voxels;
  skeletonize::Traced traced;
  skeletonize::JointPlan plan;
};

// `detail`: metres.
Found find_joints(skeletonize::Voxels voxels, double detail, const SkeletonizeOptions& options) {
  const skeletonize::ForceField field = skeletonize::find_forces(voxels, options.threads);
  skeletonize::Traced traced = skeletonize::trace(field, voxels, detail / voxels.size, options.threads);
  skeletonize::JointPlan plan = skeletonize::plan_joints(traced, options.bone_length, 0.5 * detail / voxels.size);
  return {std::move(voxels), std::move(traced), std::move(plan)};
}

void add_joints(Model& model, const skeletonize::JointPlan& plan, const skeletonize::Voxels& voxels) {
  for (const skeletonize::PlannedJoint& joint : plan.joints) {
    glm::dvec3 place = voxels.to_model(joint.position);
    if (joint.parent >= 0) place -= voxels.to_model(plan.joints[static_cast<std::size_t>(joint.parent)].position);
    add_joint(model, joint.name, joint.parent, {.translation = glm::vec3(place)});
  }
  bind_all_joints(model);
}

// Binds every vertex to its joint, then spreads the weights between joints by heat flow.
SparseRows make_weights(const Mesh& mesh, std::span<const std::uint32_t> joints, const Model& model, unsigned threads) {
  SparseRows rigid;
  for (const std::uint32_t joint : joints) {
    const Influence whole{joint, 1.0f};
    rigid.append_row(std::span(&whole, 1));
  }
  const std::vector<Transition> transitions(model.bound_joints.size(), {.radii = 8, .rigid = true});
  const SparseRows spread = spread_weights(mesh, rigid, model, transitions, threads);
  return cut_rows(spread, kMaxJoints, Cut::kContinuous);
}

}  // namespace

Result<Skeletonized> make_skeleton(Model model, const SkeletonizeOptions& options) {
  PELT_TRY(validate(model, options));
  const auto progress = [&](double fraction, const char* what) {
    if (options.progress) options.progress(fraction, what);
  };
  SkeletonizeReport report;
  if (model.skeleton.joints.size() > 1 || !model.clips.empty()) {  // not the node of a static mesh
    report.notes.push_back(fmt::format("its skeleton of {} joints and {} clips are dropped; pelt bind {} keeps them",
                                       model.skeleton.joints.size(), model.clips.size(), model.name));
  }
  const Surface surface = find_surface(model, report);
  if (surface.closed.empty() && surface.capped.empty() && surface.sheets.empty()) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: has no triangle with area", model.name));
  }

  progress(0, "voxels");
  const double detail = options.detail * diagonal(surface);
  std::uint32_t resolution = options.resolution;
  Result<skeletonize::Voxels> voxels =
      skeletonize::voxelize(surface.positions, surface.closed, surface.capped, surface.sheets, resolution);
  const auto lowered = [&](std::size_t cells) {
    const double share = std::cbrt(static_cast<double>(kMaxVoxels) / static_cast<double>(cells));
    return static_cast<std::uint32_t>(std::min(share, 1.0) * resolution);
  };
  if (voxels && voxels->cells.size() > kMaxVoxels) {
    resolution = lowered(voxels->cells.size());
    report.notes.push_back(fmt::format("resolution {} instead of {}: more than half a million voxels would be inside",
                                       resolution, options.resolution));
    voxels = skeletonize::voxelize(surface.positions, surface.closed, surface.capped, surface.sheets, resolution);
  }
  if (!voxels) {
    return fail(voxels.error().code, fmt::format("{}: {}{}", model.name, voxels.error().message, where(surface)));
  }
  progress(0.1, "force field");
  Found found = find_joints(std::move(*voxels), detail, options);
  // Caps also cut: those of clothes pass between them and the body. If walls enclose nearly as much, take the simpler
  // skeleton.
  if (!surface.capped.empty()) {
    progress(0.4, "force field");
    voxels = skeletonize::voxelize(surface.positions, surface.closed, {}, surface.open, resolution);
    if (voxels &&
        static_cast<double>(voxels->cells.size()) > kNearly * static_cast<double>(found.voxels.cells.size())) {
      Found walled = find_joints(std::move(*voxels), detail, options);
      if (walled.plan.joints.size() < found.plan.joints.size()) found = std::move(walled);
    }
  }
  // The wall of a tube has no middle line. If its hollow is much, and makes the skeleton far simpler, it counts too.
  const std::size_t with_tubes = found.voxels.cells.size() + found.voxels.in_tubes;
  if (kNearly * static_cast<double>(with_tubes) > static_cast<double>(found.voxels.cells.size())) {
    progress(0.5, "force field");
    voxels = skeletonize::voxelize(surface.positions, surface.closed, surface.capped, surface.sheets,
                                   lowered(with_tubes), true);
    if (voxels) {
      Found filled = find_joints(std::move(*voxels), detail, options);
      if (2 * filled.plan.joints.size() < found.plan.joints.size()) found = std::move(filled);
    }
  }
  const auto& [inside, traced, plan] = found;
  if (inside.enclosed != 0) {
    report.notes.push_back(fmt::format("hollows and enclosures of open parts count as inside: {} of {} voxels",
                                       inside.enclosed, inside.cells.size()));
  }
  if (plan.joints.size() > kMostJoints) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: {} joints and {} ends of limbs found, and {} joints are the most; the shape has no clear "
                    "limbs: raise --detail, now {}, or close it{}",
                    model.name, plan.joints.size(), plan.ends, kMostJoints, options.detail, where(surface)));
  }

  model.skeleton = {};
  model.clips.clear();
  add_joints(model, plan, inside);
  progress(0.6, "weights");
  const std::vector<std::uint32_t> joints = skeletonize::joints_of(surface.positions, traced, plan, inside);
  std::size_t first = 0;
  for (Mesh& mesh : model.meshes) {
    const auto vertex_joints = std::span(joints).subspan(first, mesh.positions.size());
    mesh.weights = make_weights(mesh, vertex_joints, model, options.threads);
    first += mesh.positions.size();
    progress(0.6 + 0.4 * static_cast<double>(first) / static_cast<double>(joints.size()), "weights");
  }
  report.joints = plan.joints.size();
  report.ends = plan.ends;
  report.junctions = plan.junctions;
  report.pieces = traced.pieces.size();
  report.voxel_size = inside.size;
  report.voxels = inside.cells.size();
  report.critical_points = traced.critical_points;
  report.seeds = traced.seeds;
  return Skeletonized{std::move(model), std::move(report)};
}

}  // namespace pelt
