// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/driver_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include <pelt/import.h>
#include <pelt/try.h>

#include "engine/authoring/deformer/find_cage.h"
#include "engine/authoring/deformer/region.h"
#include "engine/authoring/driver/from_skin/thinned_skin.h"
#include "engine/authoring/geometry/stitch.h"
#include "engine/authoring/model/find_named.h"
#include "engine/authoring/surface_ffd/refine.h"

namespace pelt::surface_ffd {
namespace {

// A driver usually has at most as many vertices as its skin. A small rig must not make one that takes minutes to bind.
constexpr std::size_t kMaxTriangles = std::size_t{1} << 19;

DriverSource make_from_targets(const DriverParameters& parameters, const DeformerInput& input) {
  constexpr double kOfDistance = 0.7;
  from_skin::ThinnedSkin thinned = from_skin::thinned_skin(from_skin::shown_surface(input, false), parameters.triangles,
                                                           parameters.joint_density, kOfDistance, input);
  thinned.mesh.name = input.builder.free_name(
      full_detail(input).size() == 1 ? "driver of " + mesh_of(input, input.targets[0]).name : "driver");
  return {std::move(thinned.mesh), {}, std::move(thinned.weights)};
}

Result<DriverSource> read_file(const DriverParameters& parameters, const DeformerInput& input) {
  PELT_ASSIGN(const auto path, named_file(parameters.file, input));
  PELT_ASSIGN(auto model, within(input.layer + ": the driver", import_model(path.string(), nullptr, input.rig.files)));
  for (const std::string& note : model.report.notes) {
    input.notes.push_back(fmt::format("{}: the driver's file '{}': {}", input.layer, parameters.file, note));
  }
  Mesh mesh = concatenate(model.meshes);
  mesh.weights = {};  // over the file's own joints
  if (model.meshes.size() == 1) mesh.morph_targets = std::move(model.meshes[0].morph_targets);
  mesh.name = input.builder.free_name(std::filesystem::path(parameters.file).stem().string());
  return DriverSource{std::move(mesh), {}, {}};
}

std::vector<double> knots_or_uniform(const std::vector<float>& knots, std::uint32_t count, std::uint32_t degree) {
  std::vector<double> result(knots.begin(), knots.end());
  if (!knots.empty()) return result;
  for (std::uint32_t i = 0; i < count + degree + 1; ++i) result.push_back(static_cast<double>(i) - degree);
  return result;
}

BsplinePatch patch_of(const PatchParameters& parameters) {
  BsplinePatch patch;
  patch.count_u = parameters.shape[0];
  patch.count_v = parameters.shape[1];
  patch.degree_u = parameters.degree[0];
  patch.degree_v = parameters.degree[1];
  if (patch.count_u < 1u << 16u && patch.degree_u < 16) {
    patch.knots_u = knots_or_uniform(parameters.knots_u, patch.count_u, patch.degree_u);
  }
  if (patch.count_v < 1u << 16u && patch.degree_v < 16) {
    patch.knots_v = knots_or_uniform(parameters.knots_v, patch.count_v, patch.degree_v);
  }
  patch.control = parameters.control;
  patch.samples = parameters.samples;
  patch.weights.assign(parameters.weights.begin(), parameters.weights.end());
  return patch;
}

Result<DriverSource> make_from_patches(const DriverParameters& parameters, const DeformerInput& input) {
  if (parameters.tessellation == 0 && (parameters.weld > 0 || !parameters.refine.empty())) {
    return invalid(input, "a patch must be tessellated to be welded or refined: its control vertices are no surface");
  }
  DriverSource source;
  std::vector<Mesh> tessellated;
  std::uint64_t vertices = 0;
  for (std::size_t p = 0; p < parameters.patches.size(); ++p) {
    BsplinePatch patch = patch_of(parameters.patches[p]);
    PELT_TRY(validate(patch, fmt::format("{}: patch {} of the driver", input.layer, p)));
    if (parameters.tessellation > 0) {
      PELT_ASSIGN(auto surface, within(fmt::format("{}: patch {}", input.layer, p),
                                       tessellate(patch, parameters.tessellation, parameters.tessellation)));
      vertices += surface.mesh.positions.size();
      if (vertices > kMaxTessellated) {
        return invalid(input, fmt::format("the patches of the driver have more than {} vertices", kMaxTessellated));
      }
      tessellated.push_back(std::move(surface.mesh));
      continue;
    }
    const std::uint64_t spans = std::uint64_t{domain_knots_u(patch).size()} * domain_knots_v(patch).size();
    if (spans * patch.samples * patch.samples > kMaxTessellated) {
      return invalid(input, fmt::format("patch {} of the driver has more than {} samples", p, kMaxTessellated));
    }
    source.mesh.positions.insert(source.mesh.positions.end(), patch.control.begin(), patch.control.end());
    source.patches.push_back(std::move(patch));
  }
  if (parameters.tessellation > 0) source.mesh = concatenate(tessellated);
  source.mesh.name = input.builder.free_name(parameters.patches.size() == 1 ? "patch" : "patches");
  return source;
}

// Adds morph targets at their rest weights to the positions. A pose only adds weight beyond that.
void settle_morph_targets(Mesh& mesh) {
  for (const MorphTarget& target : mesh.morph_targets) {
    for (std::size_t v = 0; target.weight != 0 && v < mesh.positions.size(); ++v) {
      mesh.positions[v] += target.weight * target.offsets[v];
    }
  }
}

}  // namespace

Result<DriverSource> find_source(const DriverParameters& parameters, const DeformerInput& input) {
  if (!parameters.patches.empty()) return make_from_patches(parameters, input);
  DriverSource source;
  if (!parameters.file.empty()) {
    PELT_ASSIGN(source, read_file(parameters, input));
  } else if (!parameters.mesh.empty()) {
    PELT_ASSIGN(const Mesh* const mesh, find_mesh(input.model, parameters.mesh, input.layer + ": its driver"));
    source.mesh = *mesh;
  } else {
    source = make_from_targets(parameters, input);
  }
  if (source.mesh.triangles.empty()) {
    return invalid(input, fmt::format("the driver '{}' has no triangles", source.mesh.name));
  }
  if (parameters.morph_targets || !parameters.key_poses.empty()) settle_morph_targets(source.mesh);
  return source;
}

std::vector<glm::vec3> VertexSources::carry(std::span<const glm::vec3> values) const {
  std::vector<glm::vec3> carried;
  carried.reserve(kept.size() + parents.size());
  for (const std::uint32_t v : kept) carried.push_back(values[v]);
  for (const glm::uvec2 pair : parents) carried.push_back((carried[pair.x] + carried[pair.y]) * 0.5f);
  return carried;
}

Result<DriverMesh> weld_and_refine(const Mesh& source, const DriverParameters& parameters, const DeformerInput& input) {
  DriverMesh driver;
  driver.mesh = source;
  driver.source_triangle.resize(source.triangles.size());
  std::iota(driver.source_triangle.begin(), driver.source_triangle.end(), 0u);
  driver.vertices.kept.resize(source.positions.size());
  std::iota(driver.vertices.kept.begin(), driver.vertices.kept.end(), 0u);

  if (parameters.weld > 0) {
    Stitched stitched = stitch(driver.mesh, parameters.weld);
    driver.source_triangle = std::move(stitched.source_triangle);
    driver.mesh = std::move(stitched.mesh);
    // A kept vertex comes before those that are welded to it.
    driver.vertices.kept.clear();
    for (std::uint32_t v = 0; v < stitched.new_vertex.size(); ++v) {
      if (stitched.new_vertex[v] == driver.vertices.kept.size()) driver.vertices.kept.push_back(v);
    }
  }
  for (std::size_t r = 0; r < parameters.refine.size(); ++r) {
    const Refinement& refinement = parameters.refine[r];
    // A region selects triangles of the source, so that numbers are the rigger's. Part of a triangle is refined if the
    // triangle is in the region.
    PELT_ASSIGN(const auto inside, region_triangles(refinement.region, source, input.model, input.rig,
                                                    fmt::format("{}: refinement {} of the driver", input.layer, r)));
    if (std::ranges::count(inside, 1) == 0) {
      input.notes.push_back(
          fmt::format("{}: no triangle of the driver is wholly inside refinement {}", input.layer, r));
      continue;
    }
    for (std::uint32_t level = 0; level < refinement.levels; ++level) {
      std::vector<std::uint8_t> chosen;
      for (const std::uint32_t t : driver.source_triangle) chosen.push_back(inside[t]);
      const auto split = static_cast<std::size_t>(std::ranges::count(chosen, 1));
      if (chosen.size() + 3 * split > kMaxTriangles) {
        return invalid(input, fmt::format("refinement {} makes a driver of more than {} triangles", r, kMaxTriangles));
      }
      Refined refined = refine(driver.mesh, chosen);
      for (std::uint32_t& t : refined.source_triangle) t = driver.source_triangle[t];
      driver.source_triangle = std::move(refined.source_triangle);
      driver.mesh = std::move(refined.mesh);
      driver.vertices.parents.insert(driver.vertices.parents.end(), refined.parents.begin(), refined.parents.end());
    }
  }
  return driver;
}

}  // namespace pelt::surface_ffd
