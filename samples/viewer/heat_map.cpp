// SPDX-License-Identifier: MIT
#include "samples/viewer/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <pelt/pack.h>
#include <pelt/pose.h>
#include <pelt/runtime/read_back.h>
#include <pelt/tools/inspect.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

#include "samples/pelt/bind_view.h"
#include "samples/pelt/element_weights.h"
#include "samples/renderer/shaders/color_ramp.h"

namespace pelt::viewer {
namespace {

constexpr double kWithin = 0.999;   // fraction of the vertices within an automatic scale
constexpr float kMinScale = 1e-9f;  // least range of an automatic scale
constexpr std::size_t kGrain = 1024;
constexpr float kMinWeight = 0.05f;  // bones count if their joint moves the vertex by more

// Returns a round number that is at least `value` and not far above it.
float round_up(float value) {
  const float power = std::pow(10.0f, std::floor(std::log10(std::max(value, kMinScale))));
  for (const float step : {1.0f, 1.5f, 2.0f, 2.5f, 3.0f, 4.0f, 5.0f, 6.0f, 8.0f}) {
    if (value <= step * power * 1.0001f) return step * power;
  }
  return 10 * power;
}

// Returns the number that 99.9% of the values do not exceed. Precondition: there is a value.
float percentile(std::vector<float> values) {
  const auto rank = static_cast<std::ptrdiff_t>(std::ceil(kWithin * static_cast<double>(values.size()))) - 1;
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

// Calls a function for each corner of a triangle, with the other two in the triangle's orientation.
template <class Visit>
void for_each_corner(const CharacterMesh& mesh, const Visit& visit) {
  for (const glm::uvec3& t : mesh.triangles) {
    visit(t.x, t.y, t.z);
    visit(t.y, t.z, t.x);
    visit(t.z, t.x, t.y);
  }
}

void fill_stretch(const CharacterMesh& mesh, std::span<const glm::vec3> posed, std::span<float> values) {
  const std::vector<glm::vec3>& rest = mesh.binding.points;
  for_each_corner(mesh, [&](std::uint32_t vertex, std::uint32_t b, std::uint32_t c) {
    for (const std::uint32_t other : {b, c}) {
      const float before = glm::distance(rest[vertex], rest[other]);
      if (before > 0) values[vertex] = std::max(values[vertex], glm::distance(posed[vertex], posed[other]) / before);
    }
  });
  for (float& value : values) value = value > 0 ? value : 1.0f;
}

// A bone from a joint to a child; skins are bound to both. Its motion is the joint's.
struct Bone {
  std::uint32_t joint;
  glm::vec3 from, to;
  glm::mat4 motion;
};

std::vector<Bone> bones_of(const Actor& actor) {
  const CharacterData& data = *actor.character;
  std::vector<glm::mat4> rest(data.skeleton.joints.size());
  rest_matrices(data.skeleton, rest);
  std::set<std::uint32_t> bound;
  for (const BoundJoint& joint : data.bound_joints) {
    if (bound.insert(joint.joint).second) rest[joint.joint] = glm::inverse(joint.inverse_bind);
  }
  std::vector<Bone> bones;
  for (const std::uint32_t child : bound) {
    const std::int32_t parent = data.skeleton.joints[child].parent;
    if (parent < 0 || !bound.contains(static_cast<std::uint32_t>(parent))) continue;
    const auto p = static_cast<std::size_t>(parent);
    const glm::vec3 from(rest[p][3]);
    const glm::vec3 to(rest[child][3]);
    if (from != to)
      bones.push_back({static_cast<std::uint32_t>(p), from, to, actor.pose.joints[p] * glm::inverse(rest[p])});
  }
  return bones;
}

// The vector from the nearest point of the nearest bone to a vertex: at bind, and posed.
struct Flesh {
  glm::vec3 rest{0.0f}, posed{0.0f};
};

// `weights` are over the bound joints; the bones of joints without weight belong to another limb.
Flesh flesh_at(std::span<const Bone> bones, std::span<const BoundJoint> bound, std::span<const Influence> weights,
               glm::vec3 rest, glm::vec3 posed) {
  const auto moves = [&](const Bone& bone) {
    return std::ranges::any_of(weights, [&](const Influence& influence) {
      return influence.weight > kMinWeight && bound[influence.index].joint == bone.joint;
    });
  };
  const bool any = std::ranges::any_of(bones, moves);
  Flesh flesh;
  float least = std::numeric_limits<float>::infinity();
  for (const Bone& bone : bones) {
    if (any && !moves(bone)) continue;
    const glm::vec3 along = bone.to - bone.from;
    const float lambda = std::clamp(glm::dot(rest - bone.from, along) / glm::dot(along, along), 0.0f, 1.0f);
    const glm::vec3 near = bone.from + lambda * along;
    if (!(glm::distance(near, rest) < least)) continue;
    least = glm::distance(near, rest);
    flesh = {rest - near, posed - glm::vec3(bone.motion * glm::vec4(near, 1.0f))};
  }
  return flesh;
}

// The edges at a vertex, for the affine map A = (sum e' e^T) (sum e e^T)^-1 that fits them best.
struct Edges {
  glm::dmat3 moments{0.0}, moved{0.0};
  glm::dvec3 rest_normal{0.0}, posed_normal{0.0};
  double squared = 0;
  std::size_t count = 0;

  void add(glm::dvec3 before, glm::dvec3 after) {
    moments += glm::outerProduct(before, before);
    moved += glm::outerProduct(after, before);
  }
};

std::vector<Edges> edges_of(const CharacterMesh& mesh, std::span<const glm::vec3> posed) {
  const std::vector<glm::vec3>& rest = mesh.binding.points;
  std::vector<Edges> edges(rest.size());
  for_each_corner(mesh, [&](std::uint32_t vertex, std::uint32_t b, std::uint32_t c) {
    Edges& at = edges[vertex];
    for (const std::uint32_t other : {b, c}) {
      const glm::dvec3 before(rest[other] - rest[vertex]);
      at.add(before, posed[other] - posed[vertex]);
      at.squared += glm::dot(before, before);
      ++at.count;
    }
    at.rest_normal += glm::dvec3(glm::cross(rest[b] - rest[vertex], rest[c] - rest[vertex]));
    at.posed_normal += glm::dvec3(glm::cross(posed[b] - posed[vertex], posed[c] - posed[vertex]));
  });
  return edges;
}

// Returns the determinant of the map that fits the edges and the flesh best; the flesh is scaled by the edges' length.
float volume_of(Edges edges, const Flesh& flesh) {
  if (edges.count == 0 || !(edges.squared > 0) || !(glm::length(edges.rest_normal) > 0)) return 1;
  const glm::dvec3 rest_normal = glm::normalize(edges.rest_normal);
  const bool turns = glm::length(edges.posed_normal) > 0;
  const glm::dvec3 posed_normal = turns ? glm::normalize(edges.posed_normal) : glm::dvec3(0.0);
  // Replace a line that is nearly tangent to the surface by the normal: it does not measure the flesh below.
  const double depth = glm::length(glm::dvec3(flesh.rest));
  const double below = depth > 0 ? std::abs(glm::dot(glm::dvec3(flesh.rest), rest_normal)) / depth : 0.0;
  const double scale = std::sqrt(edges.squared);
  const double part = std::clamp((below - 0.15) / 0.35, 0.0, 1.0);
  if (part > 0) {
    edges.add(glm::dvec3(flesh.rest) * (part * scale / depth), glm::dvec3(flesh.posed) * (part * scale / depth));
  }
  edges.add(rest_normal * ((1 - part) * scale), posed_normal * ((1 - part) * scale));
  const double spread = glm::determinant(edges.moments);
  return spread > 1e-12 * std::pow(scale, 6) ? static_cast<float>(glm::determinant(edges.moved) / spread) : 1.0f;
}

template <class Value>
void fill(const CharacterMesh& mesh, std::vector<float>& values, const Value& value) {
  parallel_for(mesh.vertex_count(), kGrain, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      values[mesh.first_vertex + v] = value(static_cast<std::uint32_t>(v));
    }
  });
}

Result<void> fill_distances(const Actor& actor, std::vector<float>& values) {
  bool any = false;
  for (const CharacterMesh& mesh : actor.character->meshes) {
    const auto report = std::ranges::find(actor.report.meshes, mesh.name, &MeshReport::mesh);
    if (mesh.control || report == actor.report.meshes.end() || report->distances.empty()) continue;
    any = true;
    fill(mesh, values, [&](std::uint32_t v) { return std::max(report->distances[mesh.source_vertex[v]], 0.0f); });
  }
  if (any) return {};
  return fail(ErrorCode::kNotFound, "no driver moves this character, so it has no distance to one");
}

Result<void> fill_difference(Stage& stage, const Actor& actor, std::vector<float>& values) {
  Actor* reference = stage.reference();
  if (reference == nullptr) {
    return fail(ErrorCode::kNotFound, "there is no deformer to show the difference from: compare with one first");
  }
  const std::span<const glm::vec3> here = stage.evaluated(actor).positions();
  const std::span<const glm::vec3> other = stage.evaluated(*reference).positions();
  for (const CharacterMesh& mesh : actor.character->meshes) {
    if (mesh.control) continue;
    const CharacterMesh* same = find_mesh(*reference->character, mesh.name);
    if (same == nullptr || same->vertex_count() != mesh.vertex_count()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("mesh '{}' differs from the mesh that {} moves", mesh.name, reference->key));
    }
    std::vector<glm::vec3> there(same->vertex_count());
    to_source_order<glm::vec3>(*same, other, there);
    fill(mesh, values,
         [&](std::uint32_t v) { return glm::distance(here[mesh.first_vertex + v], there[mesh.source_vertex[v]]); });
  }
  return {};
}

Result<void> fill_gpu_error(const runtime::Device& device, Stage& stage, const Actor& actor,
                            std::vector<float>& values) {
  PELT_TRY(runtime::run(device, stage.find(actor.key)->crowd));
  PELT_ASSIGN(const auto vertices, runtime::read_vertices(device, actor.crowd, 0));
  const std::span<const glm::vec3> expected = stage.evaluated(actor).positions();
  for (const CharacterMesh& mesh : actor.character->meshes) {
    if (mesh.control) continue;
    fill(mesh, values, [&](std::uint32_t v) {
      return glm::distance(vertices.positions[mesh.first_vertex + v], expected[mesh.first_vertex + v]);
    });
  }
  return {};
}

std::string title_of(Stage& stage, const Actor& actor, const Heat& heat) {
  if (heat.kind == HeatKind::kDifference) return "difference from " + stage.reference()->key;
  if (heat.kind != HeatKind::kElement) return text_of(heat.kind).name;
  const CharacterData& data = *actor.character;
  const bool is_number = heat.element.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || data.skeleton.find(heat.element)) return "weight of " + heat.element;
  return "weight of " + entry_label(data, static_cast<std::uint32_t>(std::stoul(heat.element)));
}

// Computes the values of the skins.
Result<void> fill_values(const runtime::Device& device, Stage& stage, const Actor& actor, const Heat& heat,
                         HeatMap& map) {
  const CharacterData& data = *actor.character;
  map.values.assign(data.vertex_count(), 0.0f);
  switch (heat.kind) {
    case HeatKind::kNone:
      return fail(ErrorCode::kInvalidArgument, "no heat map chosen");
    case HeatKind::kElement: {
      if (heat.element.empty())
        return fail(ErrorCode::kInvalidArgument, "choose a joint or a palette entry, or select a control vertex");
      PELT_ASSIGN(map.values, samples::element_weights(actor.character, heat.element));
      return {};
    }
    case HeatKind::kInfluences:
      for (const CharacterMesh& mesh : data.meshes) {
        if (mesh.control) continue;
        const SparseRows rows = unpack_rows(mesh.binding);
        fill(mesh, map.values, [&](std::uint32_t v) { return static_cast<float>(rows.row(v).size()); });
      }
      return {};
    case HeatKind::kDistance:
      return fill_distances(actor, map.values);
    case HeatKind::kStretch:
    case HeatKind::kVolume: {
      const std::vector<Bone> bones = bones_of(actor);
      const std::span<const glm::vec3> positions = stage.evaluated(actor).positions();
      for (const CharacterMesh& mesh : data.meshes) {
        if (mesh.control) continue;
        const std::span<const glm::vec3> posed = positions.subspan(mesh.first_vertex, mesh.vertex_count());
        if (heat.kind == HeatKind::kStretch) {
          fill_stretch(mesh, posed, std::span(map.values).subspan(mesh.first_vertex, mesh.vertex_count()));
          continue;
        }
        const SparseRows painted = painted_rows(mesh);
        const std::vector<Edges> edges = edges_of(mesh, posed);
        fill(mesh, map.values, [&](std::uint32_t v) {
          const std::span<const Influence> weights = mesh.painted ? painted.row(v) : std::span<const Influence>{};
          return volume_of(edges[v], flesh_at(bones, data.bound_joints, weights, mesh.binding.points[v], posed[v]));
        });
      }
      return {};
    }
    case HeatKind::kTension:
    case HeatKind::kTensionAcross:
      map.first = shared::kSignedRamp;
      for (const CharacterMesh& mesh : data.meshes) {
        if (mesh.control) continue;
        const auto posed = stage.evaluated(actor).positions().subspan(mesh.first_vertex, mesh.vertex_count());
        const std::vector<glm::i8vec2> tension = tension_of(mesh, posed);
        fill(mesh, map.values, [&](std::uint32_t v) {
          return static_cast<float>(tension[v][heat.kind == HeatKind::kTension ? 0 : 1]) / 127;
        });
      }
      return {};
    case HeatKind::kGpuError:
      return fill_gpu_error(device, stage, actor, map.values);
    case HeatKind::kDifference:
      return fill_difference(stage, actor, map.values);
    case HeatKind::kLevels:
    case HeatKind::kSegments:
    case HeatKind::kLearnt: {
      PELT_ASSIGN(auto view, samples::view_of_bind(actor.character, text_of(heat.kind).name));
      map.values = std::move(view.values);
      return {};
    }
  }
  return {};
}

}  // namespace

std::span<const HeatKindText> heat_kinds() {
  static constexpr HeatKindText kKinds[] = {
      {HeatKind::kNone, "none", "The skin in its own colours."},
      {HeatKind::kElement, "weight of an element",
       "How much a joint, a palette entry or a control vertex moves each vertex."},
      {HeatKind::kInfluences, "influences", "How many palette entries move each vertex.", "elements"},
      {HeatKind::kDistance, "distance to driver", "From each vertex to the closest point of its driver, at bind.", "m"},
      {HeatKind::kStretch, "stretch", "The longest edge at a vertex, posed over rest; 1: no change."},
      {HeatKind::kVolume, "change of volume",
       "Volume of the flesh between the skin and the nearest bone, posed over rest; 1: no change."},
      {HeatKind::kGpuError, "GPU minus CPU", "Distance between the GPU's and the CPU's vertices.", "m"},
      {HeatKind::kTension, "tension", "log2 of posed over rest length along the tangents; 1: twice, -1: half."},
      {HeatKind::kTensionAcross, "tension across",
       "log2 of posed over rest length along the bitangents; 1: twice, -1: half."},
      {HeatKind::kDifference, "difference", "Distance from the vertices that the first compared deformer moves.", "m"},
      {HeatKind::kLevels, "levels", "The finest level of a surface that moves each vertex."},
      {HeatKind::kSegments, "segments", "A colour for each joint or part, by the one that moves a vertex most."},
      {HeatKind::kLearnt, "learnt", "The error that pelt learn left at each vertex, over the largest."}};
  return kKinds;
}

const HeatKindText& text_of(HeatKind kind) { return heat_kinds()[static_cast<std::size_t>(kind)]; }

std::vector<float> HeatMap::shares() const {
  std::vector<float> shares(values.size());
  const float range = high > low ? high - low : 1.0f;
  std::ranges::transform(values, shares.begin(),
                         [&](float v) { return first + std::clamp((v - low) / range, 0.0f, 1.0f); });
  return shares;
}

Result<HeatMap> make_heat_map(const runtime::Device& device, Stage& stage, const Actor& actor, const Heat& heat) {
  HeatMap map;
  PELT_TRY(fill_values(device, stage, actor, heat, map));
  map.title = title_of(stage, actor, heat);
  map.unit = text_of(heat.kind).unit;
  const float neutral = heat.kind == HeatKind::kStretch || heat.kind == HeatKind::kVolume ? 1.0f : 0.0f;
  std::vector<float> away;  // distances of the skins' values from neutral
  float farthest = -1;
  for (const CharacterMesh& mesh : actor.character->meshes) {
    for (std::uint32_t v = mesh.first_vertex; !mesh.control && v < mesh.first_vertex + mesh.vertex_count(); ++v) {
      if (!std::isfinite(map.values[v])) map.values[v] = neutral;
      away.push_back(std::abs(map.values[v] - neutral));
      if (away.back() > farthest) {
        farthest = away.back();
        map.worst = v;
      }
    }
  }
  map.low = heat.low;
  map.high = heat.high;
  if (heat.automatic && !away.empty()) {
    const float reach = round_up(percentile(std::move(away)));
    const float floor =
        heat.kind == HeatKind::kVolume || map.first > 0 ? -std::numeric_limits<float>::infinity() : 0.0f;
    map.low = std::max(neutral > 0 || map.first > 0 ? neutral - reach : 0.0f, floor);
    const bool is_share = heat.kind == HeatKind::kElement || heat.kind >= HeatKind::kLevels;
    map.high = is_share ? 1.0f : neutral + reach;
  }
  for (const CharacterMesh& mesh : actor.character->meshes) {
    if (mesh.control) std::fill_n(map.values.begin() + mesh.first_vertex, mesh.vertex_count(), map.low);
  }
  return map;
}

}  // namespace pelt::viewer
