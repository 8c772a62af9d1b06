// SPDX-License-Identifier: MIT
#include "engine/authoring/check/hidden_skin.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <optional>
#include <utility>

#include <pelt/evaluate.h>
#include <pelt/tools/clip_poses.h>
#include <pelt/tools/parallel.h>
#include <pelt/tools/weld.h>

#include "engine/authoring/geometry/edge_distances.h"
#include "engine/authoring/geometry/ray_tree.h"
#include "engine/authoring/rows/morton_order.h"

namespace pelt {
namespace {

// A triangle is hidden if no point of it is seen from outside, so all hidden triangles can be left out together: a ray
// that ends at one of them goes on inside the garment. Each pose casts other rays, and so does each triangle; a gap
// that few rays find is found by some triangle nearby, and the margin covers its neighbours.

constexpr std::uint32_t kRestRays = 128;  // per triangle
constexpr std::uint32_t kRays = 16;       // per triangle and further pose
constexpr float kOutside = 1e-3f;         // of the size: cloth closer than that hides nothing
constexpr double kMargin = 0.005;         // of the size: around skin that is seen, such as at hems
constexpr float kLeastCovered = 0.5f;     // of the rays within 60 degrees of the normal

// Numbers in [0, 1) from a seed (Steele, Lea and Flood 2014, *Fast Splittable Pseudorandom Number Generators*).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0xD1342543DE82EF95u) {}
  float next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-24f;
  }

 private:
  std::uint64_t state_;
};

struct SceneTriangle {
  glm::uvec3 vertices;
  std::uint32_t mesh, part;  // numbers over all wearers
  bool see_through;
  std::uint64_t sets;  // bit s: part of the garments of set s

  bool is_in(std::size_t set) const { return (sets >> set & 1u) != 0; }
};

class Scene {
 public:
  Scene(std::span<const Wearer> wearers, std::size_t sets, const IsGarment& is_garment)
      : size_(wearers[0].character.size()) {
    std::uint32_t first = 0, mesh_number = 0, part_number = 0;
    for (std::size_t w = 0; w < wearers.size(); ++w) {
      const Character& character = wearers[w].character;
      evaluators_.emplace_back(
          character,
          Evaluator::Options{.jobs = thread_jobs(), .normals = false, .tangents = false, .same_everywhere = true});
      players_.emplace_back(*character);
      for (const CharacterMesh& mesh : character->meshes) {
        ++mesh_number;
        for (const MeshPart& part : mesh.parts) {
          ++part_number;
          if (mesh.control) continue;
          std::uint64_t in_sets = 0;
          for (std::size_t s = 0; s < sets; ++s) in_sets |= std::uint64_t{is_garment(s, w, mesh, part)} << s;
          const bool see_through =
              part.material >= 0 && wearers[w].see_through[static_cast<std::size_t>(part.material)];
          for (std::uint32_t t = 0; t < part.triangle_count; ++t) {
            triangles_.push_back({mesh.triangles[part.first_triangle + t] + first + mesh.first_vertex, mesh_number,
                                  part_number, see_through, in_sets});
          }
        }
      }
      first += character->vertex_count();
      if (w == 0) own_ = triangles_.size();
    }
    positions_.resize(first);
  }

  void pose(const CheckPose& pose) {
    std::size_t first = 0;
    for (std::size_t w = 0; w < evaluators_.size(); ++w) {
      players_[w].pose(pose, evaluators_[w]);
      evaluators_[w].evaluate();
      std::ranges::copy(evaluators_[w].positions(), positions_.begin() + static_cast<std::ptrdiff_t>(first));
      first += evaluators_[w].positions().size();
    }
    if (!tree_) make_tree();
    tree_->move(positions_);
  }

  std::size_t own() const { return own_; }  // triangles of the first wearer, which come first

  // Returns true if rays from a triangle find that it is seen.
  bool is_seen(std::size_t number, std::size_t set, std::size_t pose_number) const {
    const SceneTriangle& triangle = triangles_[number];
    const glm::vec3 a = positions_[triangle.vertices.x];
    const glm::vec3 b = positions_[triangle.vertices.y];
    const glm::vec3 c = positions_[triangle.vertices.z];
    const glm::vec3 across = glm::cross(b - a, c - a);
    const float length = glm::length(across);
    if (!(length > 0)) return false;  // nothing to see
    const glm::vec3 normal = across / length;
    const bool is_rest = pose_number == 0;
    float near_normal = 0, covered = 0;
    Numbers numbers((pose_number << 32) + number);
    for (std::uint32_t k = 0; k < (is_rest ? kRestRays : kRays); ++k) {
      float u = numbers.next(), v = numbers.next();
      if (u + v > 1) u = 1 - u, v = 1 - v;
      const float z = 2 * numbers.next() - 1;
      const float turn = glm::two_pi<float>() * numbers.next();
      const float radius = std::sqrt(std::max(0.0f, 1 - z * z));
      glm::vec3 direction(radius * std::cos(turn), radius * std::sin(turn), z);
      const bool outward = k % 4 != 3;  // both sides are drawn
      if ((glm::dot(direction, normal) > 0) != outward) direction = -direction;
      const bool is_near = is_rest && glm::dot(direction, normal) > 0.5f;
      const glm::vec3 origin =
          a + u * (b - a) + v * (c - a) + normal * (size_ * (outward ? kOutside : -1e-2f * kOutside));
      const std::uint32_t hit = tree_->hit(origin, direction, !is_near, [&](std::uint32_t other) {
        const SceneTriangle& at = triangles_[in_tree_[other]];
        return at.is_in(set) || at.mesh == triangle.mesh;
      });
      if (hit == RayTree::kNone) return true;
      if (!is_near) continue;
      const SceneTriangle& at = triangles_[in_tree_[hit]];
      ++near_normal;
      covered += at.is_in(set) && at.part != triangle.part ? 1.0f : 0.0f;
    }
    return is_rest && covered < kLeastCovered * near_normal;
  }

 private:
  void make_tree() {
    std::vector<glm::vec3> centres;
    std::vector<std::uint32_t> opaque;
    for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
      const glm::uvec3& v = triangles_[t].vertices;
      if (triangles_[t].see_through) continue;
      opaque.push_back(t);
      centres.push_back((positions_[v.x] + positions_[v.y] + positions_[v.z]) / 3.0f);
    }
    std::vector<glm::uvec3> ordered;
    for (const std::uint32_t t : morton_order(centres)) {
      in_tree_.push_back(opaque[t]);
      ordered.push_back(triangles_[opaque[t]].vertices);
    }
    tree_.emplace(std::move(ordered));
  }

  float size_;
  std::vector<Evaluator> evaluators_;
  std::vector<PosePlayer> players_;
  std::vector<SceneTriangle> triangles_;
  std::size_t own_ = 0;
  std::vector<glm::vec3> positions_;
  std::vector<std::uint32_t> in_tree_;  // triangle of each of the tree's
  std::optional<RayTree> tree_;
};

// Returns the triangles of a mesh that are farther than `margin` metres from every seen one.
std::vector<bool> far_from_seen(const CharacterMesh& mesh, std::span<const std::uint8_t> seen, double margin) {
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.binding.points);
  EdgeDistances distances(mesh.binding.points, welded, mesh.triangles);
  std::vector<EdgeDistances::Start> starts;
  for (std::size_t t = 0; t < seen.size(); ++t) {
    for (int c = 0; seen[t] != 0 && c < 3; ++c) starts.emplace_back(welded[mesh.triangles[t][c]], 0.0);
  }
  distances.flood(starts, margin);
  std::vector<bool> is_far;
  for (const glm::uvec3& t : mesh.triangles) {
    bool far = true;
    for (int c = 0; c < 3; ++c) far = far && distances[welded[t[c]]] == EdgeDistances::kFar;
    is_far.push_back(far);
  }
  return is_far;
}

}  // namespace

std::vector<std::vector<std::vector<bool>>> hidden_triangles(std::span<const Wearer> wearers, std::size_t sets,
                                                             const IsGarment& is_garment,
                                                             std::span<const CheckPose> poses, unsigned threads,
                                                             const std::function<void(double)>& progress) {
  Scene scene(wearers, sets, is_garment);
  std::vector<std::vector<std::uint8_t>> seen(sets, std::vector<std::uint8_t>(scene.own(), 0));
  for (std::size_t p = 0; p <= poses.size(); ++p) {
    progress(static_cast<double>(p) / static_cast<double>(poses.size() + 1));
    scene.pose(p == 0 ? CheckPose{} : poses[p - 1]);
    for (std::size_t s = 0; s < sets; ++s) {
      parallel_for(scene.own(), 64, threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
          if (seen[s][t] == 0) seen[s][t] = scene.is_seen(t, s, p);
        }
      });
    }
  }
  std::vector<std::vector<std::vector<bool>>> hidden(sets);
  for (std::size_t s = 0; s < sets; ++s) {
    std::size_t first = 0;
    for (const CharacterMesh& mesh : wearers[0].character->meshes) {
      hidden[s].emplace_back();
      if (mesh.control) continue;
      const std::span<const std::uint8_t> own = std::span(seen[s]).subspan(first, mesh.triangles.size());
      hidden[s].back() = far_from_seen(mesh, own, kMargin * double{wearers[0].character.size()});
      first += mesh.triangles.size();
    }
  }
  return hidden;
}

}  // namespace pelt
