// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/subdivision.h"

#include <opensubdiv/far/primvarRefiner.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <pelt/try.h>

#include "engine/character/base/invalid.h"

namespace pelt::hierarchical_bspline {
namespace {

namespace Far = OpenSubdiv::Far;

constexpr float kAlwaysSharp = 10;  // sharpness
constexpr int kMaxFurther = 3;      // levels

// Vertices of the coarser level in OpenSubdiv's interface: vertex i is the number i.
struct Numbers {
  std::uint32_t operator[](int i) const { return static_cast<std::uint32_t>(i); }
};

// A weighted sum of such vertices, in OpenSubdiv's interface.
struct Sum {
  std::vector<std::pair<std::uint32_t, double>> terms;

  void Clear() { terms.clear(); }
  void AddWithWeight(std::uint32_t vertex, double weight) {
    const auto known = std::ranges::find(terms, vertex, &std::pair<std::uint32_t, double>::first);
    if (known == terms.end()) {
      terms.emplace_back(vertex, weight);
    } else {
      known->second += weight;
    }
  }
  void AddWithWeight(const Sum& sum, double weight) {
    for (const auto& [vertex, term_weight] : sum.terms) AddWithWeight(vertex, weight * term_weight);
  }
};

// Returns how many levels further limits are requested, since OpenSubdiv's are those of a mesh of quads whose sharp
// edges stay sharp. `size`: a bound of the level's vertices; each further level has four times as many.
int levels_further(int level, std::size_t size, const Polygons& faces, const std::vector<SharpEdge>& creases) {
  const bool is_quads = level > 0 || std::ranges::all_of(faces, [](const auto& face) { return face.size() == 4; });
  int further = is_quads ? 0 : 1;
  for (const SharpEdge& crease : creases) {
    if (crease.sharpness >= kAlwaysSharp) continue;
    further = std::max(further, static_cast<int>(std::ceil(crease.sharpness)) - level);
  }
  further = std::min(further, kMaxFurther);
  while (further > 0 && size << (2 * further) > kMaxLevelVertices) --further;
  return further;
}

}  // namespace

Result<std::unique_ptr<Subdivision>> Subdivision::create(const HierarchicalBsplineParameters& parameters,
                                                         std::uint32_t finest, const std::string& what) {
  auto subdivision = std::make_unique<Subdivision>();
  subdivision->what_ = what;
  subdivision->faces_ = parameters.faces;
  for (const SurfaceCrease& crease : parameters.creases) {
    for (const std::vector<std::uint32_t>& path : crease.paths) {
      if (path.size() < 2)
        return invalid("{}: a path of a crease has {} vertices, and needs at least two", what, path.size());
      for (std::size_t i = 1; i < path.size(); ++i) {
        subdivision->creases_.push_back({path[i - 1], path[i], crease.sharpness});
      }
    }
  }
  subdivision->point_count_ = parameters.control.size();
  PELT_TRY(subdivision->refine_to(finest));
  return subdivision;
}

Result<void> Subdivision::refine_to(std::uint32_t level) {
  while (levels_.size() <= level) {
    // OpenSubdiv only has limits on the last level, on which a vertex keeps its number.
    const auto number = static_cast<int>(levels_.size());
    PELT_ASSIGN(const auto refiner, cage_topology({point_count_, faces_, creases_}, what_ + ": the control mesh"));
    std::size_t size = point_count_;
    for (const std::vector<std::uint32_t>& face : number > 0 ? levels_.back().faces : faces_) size += face.size();
    const int further = levels_further(number, size, faces_, creases_);
    Far::TopologyRefiner::UniformOptions options(number + further);
    options.fullTopologyInLastLevel = true;
    refiner->RefineUniform(options);
    const Far::TopologyLevel topology = refiner->GetLevel(number);
    const int count = topology.GetNumVertices();
    if (count > static_cast<int>(kMaxLevelVertices)) {
      return invalid("{}: level {} has more than {} vertices", what_, number, kMaxLevelVertices);
    }
    const Far::PrimvarRefinerReal<double> sums(*refiner);
    Level made;
    std::vector<Sum> refined(count);
    if (number > 0) {
      sums.Interpolate(number, Numbers{}, refined);
      for (Sum& sum : refined) made.refinement.push_back(std::move(sum.terms));
    }
    std::vector<Sum> last(count);  // vertices of the last level
    for (int v = 0; v < count; ++v) last[v].terms = {{static_cast<std::uint32_t>(v), 1.0}};
    for (int l = number + 1; l <= number + further; ++l) {
      std::vector<Sum> next(refiner->GetLevel(l).GetNumVertices());
      sums.Interpolate(l, last, next);
      last = std::move(next);
    }
    std::vector<Sum> positions(last.size());
    std::vector<Sum> along_u(last.size());
    std::vector<Sum> along_v(last.size());
    sums.Limit(last, positions, along_u, along_v);
    made.limit.resize(count);
    for (int v = 0; v < count; ++v) {
      std::vector<Share>& shares = made.limit[v];
      const auto share_of = [&](std::uint32_t vertex) -> Share& {
        const auto known = std::ranges::find(shares, vertex, &Share::vertex);
        return known != shares.end() ? *known : shares.emplace_back(Share{vertex, 0, 0, 0});
      };
      for (const auto& [vertex, weight] : positions[v].terms) share_of(vertex).weight = weight;
      for (const auto& [vertex, weight] : along_u[v].terms) share_of(vertex).along_u = weight;
      for (const auto& [vertex, weight] : along_v[v].terms) share_of(vertex).along_v = weight;
    }
    for (int f = 0; number > 0 && f < refiner->GetLevel(number - 1).GetNumFaces(); ++f) {
      const Far::ConstIndexArray parts = refiner->GetLevel(number - 1).GetFaceChildFaces(f);
      levels_.back().parts.emplace_back(parts.begin(), parts.end());
    }
    for (int f = 0; f < topology.GetNumFaces(); ++f) {
      const Far::ConstIndexArray corners = topology.GetFaceVertices(f);
      made.faces.emplace_back(corners.begin(), corners.end());
    }
    levels_.push_back(std::move(made));
  }
  return {};
}

std::vector<Share> Subdivision::limit(std::uint32_t level, std::uint32_t number,
                                      std::span<const glm::dvec3> control) const {
  std::vector<Share> shares = levels_[level].limit[number];
  if (has_frame(shares, control)) return shares;
  // The tangents are two edges of a face that meet at the vertex.
  for (Share& share : shares) share.along_u = share.along_v = 0;
  for (const std::vector<std::uint32_t>& face : levels_[level].faces) {
    const auto corner = static_cast<std::size_t>(std::ranges::find(face, number) - face.begin());
    if (corner == face.size()) continue;
    std::vector<Share> beside = shares;
    beside.push_back({number, 0, -1, -1});
    beside.push_back({face[(corner + 1) % face.size()], 0, 1, 0});
    beside.push_back({face[(corner + face.size() - 1) % face.size()], 0, 0, 1});
    if (has_frame(beside, control)) return beside;
  }
  return levels_[level].limit[number];
}

std::vector<std::uint32_t> Subdivision::refined_round(std::uint32_t level, std::uint32_t number) const {
  std::set<std::uint32_t> round{number};
  for (const std::vector<std::uint32_t>& face : levels_[level + 1].faces) {
    if (std::ranges::find(face, number) != face.end()) round.insert(face.begin(), face.end());
  }
  return {round.begin(), round.end()};
}

}  // namespace pelt::hierarchical_bspline
