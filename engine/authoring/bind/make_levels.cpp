// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include <pelt/evaluate.h>
#include <pelt/finite.h>
#include <pelt/make_levels.h>
#include <pelt/pose.h>
#include <pelt/shaders/octahedral.h>
#include <pelt/tools/area.h>
#include <pelt/tools/parallel.h>
#include <pelt/tools/triangle_tree.h>
#include <pelt/try.h>

#include "engine/authoring/bind/fit_samples.h"
#include "engine/authoring/bind/gather_rows.h"
#include "engine/authoring/geometry/coarsen.h"
#include "engine/authoring/geometry/topology.h"
#include "engine/character/core/invalid.h"

namespace pelt {
namespace {

// Poses in which surfaces are judged besides the rest pose. They cost 80 bytes a vertex each.
constexpr LinearFitOptions kPoses{.clip_poses = 4, .random_poses = 6, .cone = 1.2f};
constexpr unsigned kMorphPoses = 4;
constexpr std::size_t kMeasured = 3;  // errors are measured at rest and in every third sample pose

// A skin that gets levels.
struct Source {
  std::uint32_t mesh;            // of the character
  std::uint32_t first_vertex;    // in the surface of all sources
  std::uint32_t first_triangle;  // the same
  std::size_t triangles_before;  // of the level before
};

Result<void> check(const LevelOptions& options) {
  if (options.shares.empty() || options.shares.size() > kMaxLevel) {
    return invalid("levels of detail: {} levels are not 1 to {}", options.shares.size(), kMaxLevel);
  }
  float before = 1;
  for (const float share : options.shares) {
    if (!(share > 0 && share < 1)) {
      return invalid("levels of detail: a share of {} of the triangles is not above 0 and below 1", share);
    }
    if (share >= before) {
      return invalid("levels of detail: the shares of the triangles do not descend, at {} after {}", share, before);
    }
    before = share;
  }
  if (!(options.most_error > 0 && std::isfinite(options.most_error))) {
    return invalid("levels of detail: an error of at most {} of the size is not above 0", options.most_error);
  }
  return {};
}

// Returns the poses of clips, random poses, and the rest pose with a share of the morph targets at work.
std::vector<SamplePose> sample_poses(const CharacterData& data) {
  std::vector<SamplePose> poses = fit_poses(data, kPoses);
  SamplePose rest{std::vector<glm::mat4>(data.skeleton.joints.size()), std::vector<float>(data.input_count)};
  rest_matrices(data.skeleton, rest.joints);
  rest_inputs(data, rest.inputs);
  for (unsigned p = 0; p < kMorphPoses; ++p) {
    SamplePose pose = rest;
    unsigned number = 0;
    bool any = false;
    for (const Control& control : data.controls) {
      if (control.kind != ControlKind::kMorphTarget || number++ % kMorphPoses != p) continue;
      pose.inputs[control.input] = 1;
      any = true;
    }
    if (any) poses.push_back(std::move(pose));
  }
  return poses;
}

// Appends the positions of the sources' vertices in each pose; poses in which one is not finite are left out.
void add_poses(const Character& character, std::span<const Source> sources, unsigned threads, PosedSurface& surface) {
  Evaluator evaluator(character,
                      {.jobs = thread_jobs(threads), .normals = false, .tangents = false, .same_everywhere = true});
  for (const SamplePose& pose : sample_poses(*character)) {
    evaluator.pose(pose.joints);
    evaluator.inputs(pose.inputs);
    evaluator.evaluate();
    std::vector<glm::vec3> positions;
    for (const Source& source : sources) {
      const CharacterMesh& mesh = character->meshes[source.mesh];
      const auto of_mesh = evaluator.positions().subspan(mesh.first_vertex, mesh.vertex_count());
      positions.insert(positions.end(), of_mesh.begin(), of_mesh.end());
    }
    if (std::ranges::all_of(positions, [](glm::vec3 p) { return is_near(p); })) {
      surface.poses.push_back(std::move(positions));
    }
  }
}

// Returns the sources as one surface: seams between meshes stay closed, too.
PosedSurface surface_of(const Character& character, std::vector<Source>& sources, unsigned threads) {
  PosedSurface surface;
  surface.poses.emplace_back();
  std::uint32_t parts = 0;
  for (Source& source : sources) {
    const CharacterMesh& mesh = character->meshes[source.mesh];
    std::vector<glm::vec3>& rest = surface.poses[0];
    source.first_vertex = static_cast<std::uint32_t>(rest.size());
    source.first_triangle = static_cast<std::uint32_t>(surface.triangles.size());
    source.triangles_before = mesh.triangles.size();
    rest.insert(rest.end(), mesh.binding.points.begin(), mesh.binding.points.end());
    surface.uvs.insert(surface.uvs.end(), mesh.uvs.begin(), mesh.uvs.end());
    surface.uvs.resize(rest.size(), glm::vec2(0.0f));
    for (const glm::uvec2 words : mesh.binding.directions) surface.normals.push_back(shared::unpack_normal(words.x));
    for (const glm::uvec3 triangle : mesh.triangles) surface.triangles.push_back(triangle + source.first_vertex);
    surface.parts.resize(surface.triangles.size(), parts);  // of triangles in no part
    ++parts;
    for (const MeshPart& part : mesh.parts) {
      const auto first = surface.parts.begin() + source.first_triangle + part.first_triangle;
      std::fill_n(first, part.triangle_count, parts);
      ++parts;
    }
  }
  add_poses(character, sources, threads, surface);
  return surface;
}

Groups groups_of(BlendMode mode) {
  if (mode == BlendMode::kWires) return Groups::kSeveral;
  return mode == BlendMode::kOffsets ? Groups::kWithPoints : Groups::kOne;
}

// A mesh's vertices and triangles that are left.
struct Left {
  std::vector<std::uint32_t> vertices;   // ascending
  std::vector<std::uint32_t> triangles;  // ascending: of the mesh
  std::vector<glm::uvec3> corners;       // of each of them: of the mesh
};

Left left_of(const Source& source, const CharacterMesh& mesh, std::span<const Coarsener::Kept> kept) {
  Left left;
  for (const auto& [triangle, corners] : kept) {
    if (triangle < source.first_triangle) continue;
    const std::uint32_t number = triangle - source.first_triangle;
    if (number >= mesh.triangles.size()) break;
    left.triangles.push_back(number);
    left.corners.push_back(corners - source.first_vertex);
    for (int c = 0; c < 3; ++c) left.vertices.push_back(left.corners.back()[c]);
  }
  std::ranges::sort(left.vertices);
  left.vertices.erase(std::unique(left.vertices.begin(), left.vertices.end()), left.vertices.end());
  return left;
}

// Returns the part of a skin that is left, bound as the skin is.
CharacterMesh skin_of(const CharacterMesh& whole, const Left& left, std::string name) {
  CharacterMesh skin;
  skin.name = std::move(name);
  skin.deformer = whole.deformer;
  skin.mode = whole.mode;
  skin.stage = whole.stage;
  skin.first_slot = whole.first_slot;
  skin.wires = whole.wires;
  skin.binding = gather_rows(whole.binding, groups_of(whole.mode), left.vertices);
  if (whole.morphs) {
    PackedMorphs morphs = gather_rows(*whole.morphs, left.vertices);
    if (!morphs.columns.empty()) skin.morphs = std::move(morphs);
  }
  if (whole.fit) skin.fit = gather_rows(*whole.fit, left.vertices);
  skin.source_vertex.resize(left.vertices.size());
  std::iota(skin.source_vertex.begin(), skin.source_vertex.end(), 0u);
  std::vector<std::uint32_t> number(whole.vertex_count(), 0);
  for (std::uint32_t v = 0; v < left.vertices.size(); ++v) number[left.vertices[v]] = v;
  for (const glm::uvec3 t : left.corners) skin.triangles.emplace_back(number[t.x], number[t.y], number[t.z]);
  for (const std::uint32_t v : left.vertices) {
    if (!whole.uvs.empty()) skin.uvs.push_back(whole.uvs[v]);
    if (whole.weights.row_count() != 0) skin.weights.append_row(whole.weights.row(v));
  }
  for (const MeshPart& part : whole.parts) {
    const auto first = std::ranges::lower_bound(left.triangles, part.first_triangle) - left.triangles.begin();
    const auto end =
        std::ranges::lower_bound(left.triangles, part.first_triangle + part.triangle_count) - left.triangles.begin();
    skin.parts.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first), part.material});
  }
  Mesh shape;
  shape.positions = skin.binding.points;
  shape.triangles = skin.triangles;
  skin.topology = topology_hash(shape);
  return skin;
}

// Measures how far a source's vertices are from what is left of it. Vertices that are left have not
// moved.
void measure(const PosedSurface& surface, const Source& source, const CharacterMesh& mesh, const Left& left,
             unsigned threads, LevelReport& report) {
  std::vector<bool> stays(mesh.vertex_count(), false);
  for (const std::uint32_t v : left.vertices) stays[v] = true;
  double sum = 0;
  double largest = 0;
  std::vector<glm::vec3> gone;
  std::vector<std::uint32_t> gone_vertices;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    if (!stays[v]) gone_vertices.push_back(v);
  }
  std::size_t measured = 0;
  for (std::size_t s = 0; s < surface.poses.size(); s += kMeasured, ++measured) {
    const std::span<const glm::vec3> posed =
        std::span(surface.poses[s]).subspan(source.first_vertex, mesh.vertex_count());
    std::vector<glm::uvec3> triangles = left.corners;
    drop_flat(posed, triangles);
    const Result<TriangleTree> tree = TriangleTree::create(posed, triangles);
    if (!tree) continue;
    gone.clear();
    for (const std::uint32_t v : gone_vertices) gone.push_back(posed[v]);
    const std::vector<TriangleTree::NearPoint> near = tree->nearest_of_each(gone, threads);
    for (std::size_t i = 0; i < near.size(); ++i) {
      sum += near[i].closest.squared_distance;
      if (near[i].closest.squared_distance <= largest) continue;
      largest = near[i].closest.squared_distance;
      report.worst_vertex = mesh.source_vertex[gone_vertices[i]];
    }
  }
  const double count = static_cast<double>(mesh.vertex_count()) * static_cast<double>(measured);
  report.rms = std::sqrt(sum / std::max(count, 1.0));
  report.worst = std::sqrt(largest);
}

class LevelMaker {
 public:
  LevelMaker(const Character& character, const LevelOptions& options)
      : character_(character), options_(options), data_(*character) {
    for (const CharacterMesh& mesh : data_.meshes) names_.push_back(mesh.name);
    for (const SkinLevel& level : data_.levels) names_.push_back(level.skin.name);
  }

  Result<LevelsMade> run() {
    find_sources();
    std::size_t before = 0;
    for (const Source& source : sources_) before += character_->meshes[source.mesh].triangles.size();
    const std::size_t all = before;
    if (all > 0) {
      surface_ = surface_of(character_, sources_, options_.threads);
      Coarsener coarsener(surface_);
      for (std::uint32_t level = 1; level <= options_.shares.size(); ++level) {
        const double wanted = std::round(double{options_.shares[level - 1]} * static_cast<double>(all));
        if (wanted < options_.least_triangles) {
          notes_.push_back(fmt::format("there is no level of detail {}: it would have {} triangles, and {} are fewest",
                                       level, wanted, options_.least_triangles));
          break;
        }
        const std::size_t left =
            coarsener.reduce(static_cast<std::size_t>(wanted), double{options_.most_error} * character_.size());
        if (static_cast<double>(left) > 0.9 * static_cast<double>(before)) {
          notes_.push_back(fmt::format(
              "there is no level of detail {}: {} of the {} triangles of level {} cannot be left out without "
              "showing",
              level, left, before, level - 1));
          break;
        }
        before = left;
        add_level(level, coarsener.kept());
      }
    }
    std::ranges::sort(data_.levels, {}, [](const SkinLevel& level) { return std::pair(level.of, level.level); });
    PELT_ASSIGN(auto made, Character::create(std::move(data_)));
    return LevelsMade{std::move(made), std::move(reports_), std::move(notes_)};
  }

 private:
  void find_sources() {
    for (std::uint32_t m = 0; m < data_.meshes.size(); ++m) {
      const CharacterMesh& mesh = data_.meshes[m];
      if (mesh.control || mesh.triangles.empty()) continue;
      if (std::ranges::find(data_.levels, m, &SkinLevel::of) != data_.levels.end()) {
        notes_.push_back(fmt::format("'{}' keeps the levels of detail that it has", mesh.name));
      } else {
        sources_.push_back({m, 0, 0, 0});
      }
    }
  }

  void add_level(std::uint32_t level, std::span<const Coarsener::Kept> kept) {
    for (Source& source : sources_) {
      const CharacterMesh& mesh = character_->meshes[source.mesh];
      const Left left = left_of(source, mesh, kept);
      if (left.triangles.size() == source.triangles_before) continue;  // the level before does
      source.triangles_before = left.triangles.size();
      LevelReport report{.mesh = mesh.name,
                         .level = level,
                         .vertices = static_cast<std::uint32_t>(left.vertices.size()),
                         .triangles = static_cast<std::uint32_t>(left.triangles.size())};
      measure(surface_, source, mesh, left, options_.threads, report);
      const auto worst = static_cast<float>(report.worst);
      MadeLevel made{left.vertices, std::min(static_cast<float>(report.rms), worst), worst};
      data_.levels.push_back({source.mesh, level, skin_of(mesh, left, free_name(mesh.name, level)), std::move(made)});
      reports_.push_back(std::move(report));
    }
  }

  std::string free_name(const std::string& mesh, std::uint32_t level) {
    const std::string wish = fmt::format("{}_LOD{}", mesh, level);
    std::string name = wish;
    for (int number = 2; std::ranges::find(names_, name) != names_.end(); ++number) {
      name = fmt::format("{} {}", wish, number);
    }
    names_.push_back(name);
    return name;
  }

  const Character& character_;
  const LevelOptions& options_;
  CharacterData data_;
  std::vector<std::string> names_;  // of meshes and levels
  std::vector<Source> sources_;
  PosedSurface surface_;
  std::vector<LevelReport> reports_;
  std::vector<std::string> notes_;
};

}  // namespace

LevelOptions LevelOptions::halves(std::uint32_t count) {
  LevelOptions options;
  options.shares.clear();
  for (std::uint32_t level = 1; level <= count; ++level) {
    options.shares.push_back(std::ldexp(1.0f, -static_cast<int>(level)));
  }
  return options;
}

Result<LevelsMade> make_levels(const Character& character, const LevelOptions& options) {
  PELT_TRY(check(options));
  return LevelMaker(character, options).run();
}

}  // namespace pelt
