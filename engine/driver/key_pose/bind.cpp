// SPDX-License-Identifier: MIT
#include "engine/driver/key_pose/bind.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/key_pose.h>
#include <pelt/nearest_name.h>
#include <pelt/try.h>

#include "engine/character/records.h"
#include "engine/core/invalid.h"
#include "engine/driver/key_pose/angle.h"
#include "engine/driver/key_pose/tilt.h"
#include "engine/rig/deformer_entry.h"
#include "shaders/driver/key_pose/pose.h"

namespace pelt::key_pose {
namespace {

// Builds the table of a pass: keys and what they refer to, then the entries of every vertex.
class Table {
 public:
  explicit Table(const Mesh& mesh) : mesh_(mesh), entries_(mesh.positions.size()) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }
  void put(std::uint32_t word) { words_.push_back(word); }
  void put(double number) { words_.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(number))); }

  // Lets the key at `word` move the vertices that have an offset, and tilt those round them.
  void add_entries(std::uint32_t word, std::span<const glm::vec3> offsets) {
    if (!surface_) surface_.emplace(mesh_.positions, mesh_.triangles);
    const std::vector<glm::vec3> tilt = tilts(*surface_, offsets);
    for (std::size_t v = 0; v < offsets.size(); ++v) {
      if (offsets[v] != glm::vec3(0.0f) || tilt[v] != glm::vec3(0.0f))
        entries_[v].push_back({word, offsets[v], tilt[v]});
    }
  }

  // Returns the pass, or none if no vertex has an entry.
  std::optional<PalettePass> finish() {
    if (std::all_of(entries_.begin(), entries_.end(), [](const auto& entries) { return entries.empty(); })) {
      return std::nullopt;
    }
    PalettePass pass;
    pass.kernel = PoseKernel::kKeyPose;
    pass.record_count = static_cast<std::uint32_t>(entries_.size());
    for (const std::vector<Entry>& entries : entries_) {
      append_record(pass.records, shared::KeyPoseRecord{size(), static_cast<std::uint32_t>(entries.size())});
      for (const Entry& entry : entries) {
        put(entry.key);
        for (const glm::vec3& vector : {entry.offset, entry.tilt}) {
          for (int c = 0; c < 3; ++c) put(vector[c]);
        }
      }
    }
    pass.table = std::move(words_);
    return pass;
  }

 private:
  struct Entry {
    std::uint32_t key;
    glm::vec3 offset;
    glm::vec3 tilt;
  };
  const Mesh& mesh_;
  std::optional<SurfaceGradient> surface_;  // of mesh_; made when it is needed
  std::vector<std::uint32_t> words_;
  std::vector<std::vector<Entry>> entries_;  // for each vertex
};

// ------------------------------------------------------------------------------------------------------------ angles

Result<std::uint32_t> put_angles(const KeyPoseSet& set, const Model& model, const std::string& what, Table& table) {
  const std::uint32_t first = table.size();
  for (const KeyAngle& angle : set.angles) {
    PELT_ASSIGN(const auto words, angle_words(angle, model, what));
    for (const std::uint32_t word : words) table.put(word);
  }
  return first;
}

Result<void> check_set(const KeyPoseSet& set, const std::string& what) {
  const bool linear = set.interpolation == KeyInterpolation::kLinear;
  const std::size_t most = linear ? 1 : std::size_t{shared::kMaxKeyAngles};
  if (set.angles.empty() || set.angles.size() > most) {
    return invalid("{}: is keyed on {} angles; {} interpolation takes 1{}", what, set.angles.size(),
                   linear ? "linear" : "rbf", linear ? "" : fmt::format(" to {}", most));
  }
  if (set.poses.empty()) return invalid("{}: has no poses", what);
  for (std::size_t p = 0; p < set.poses.size(); ++p) {
    const std::vector<float>& degrees = set.poses[p].degrees;
    if (degrees.size() != set.angles.size()) {
      return invalid("{}: pose {} gives {} angles of {}", what, p, degrees.size(), set.angles.size());
    }
    const auto in_range = [](float d) { return d > -180 && d <= 180; };
    if (!std::all_of(degrees.begin(), degrees.end(), in_range)) {
      return invalid("{}: pose {} has an angle beyond half a turn, which cannot be told from less", what, p);
    }
    if (std::all_of(degrees.begin(), degrees.end(), [](float d) { return d == 0; })) {
      return invalid("{}: pose {} is at rest, where nothing is offset", what, p);
    }
    for (std::size_t q = 0; q < p; ++q) {
      if (set.poses[q].degrees == degrees) return invalid("{}: poses {} and {} have the same angles", what, q, p);
    }
  }
  return {};
}

// -------------------------------------------------------------------------------------------------------------- keys

constexpr const char* kTooClose = "two poses, or one and rest, are so close that no weights tell them apart";

// Adds the keys of a set and returns the words at which they start, one a pose.
Result<std::vector<std::uint32_t>> put_linear_keys(const KeyPoseSet& set, std::uint32_t angle, const std::string& what,
                                                   Table& table) {
  constexpr double kHeld = 1e9;  // radians: beyond the last key its shape stays
  std::vector<double> keys = {0.0};
  for (const KeyPose& pose : set.poses) keys.push_back(glm::radians(static_cast<double>(pose.degrees[0])));
  std::sort(keys.begin(), keys.end());
  constexpr double kMinStep = 1e-5;  // radians: joint angles are no more precise
  if (std::adjacent_find(keys.begin(), keys.end(), [](double a, double b) { return b - a < kMinStep; }) != keys.end()) {
    return invalid("{}: {}", what, kTooClose);
  }
  std::vector<std::uint32_t> words;
  for (const KeyPose& pose : set.poses) {
    const double own = glm::radians(static_cast<double>(pose.degrees[0]));
    const auto place = std::lower_bound(keys.begin(), keys.end(), own);
    words.push_back(table.size());
    table.put(shared::kKeyLinear);
    table.put(angle);
    table.put(place == keys.begin() ? -kHeld : *(place - 1));
    table.put(own);
    table.put(place + 1 == keys.end() ? kHeld : *(place + 1));
  }
  return words;
}

Result<std::vector<std::uint32_t>> put_rbf_keys(const KeyPoseSet& set, std::uint32_t angle, const std::string& what,
                                                Table& table) {
  const auto dimensions = static_cast<Eigen::Index>(set.angles.size());
  const auto count = static_cast<Eigen::Index>(set.poses.size()) + 1;  // the last one is the rest pose
  if (count > Eigen::Index{shared::kMaxKeyCentres}) {
    return invalid("{}: has more than {} poses", what, shared::kMaxKeyCentres - 1);
  }
  Eigen::MatrixXd centres = Eigen::MatrixXd::Zero(count, dimensions);
  for (Eigen::Index p = 0; p + 1 < count; ++p) {
    for (Eigen::Index a = 0; a < dimensions; ++a) {
      centres(p, a) = glm::radians(
          static_cast<double>(set.poses[static_cast<std::size_t>(p)].degrees[static_cast<std::size_t>(a)]));
    }
  }
  Eigen::MatrixXd squared(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j) squared(i, j) = (centres.row(i) - centres.row(j)).squaredNorm();
  }
  // Each key is as wide as the distance to its nearest neighbour: close keys do not blur into each other, and a lonely
  // key reaches as far as there is no other.
  Eigen::VectorXd width(count);
  for (Eigen::Index c = 0; c < count; ++c) {
    width(c) = std::numeric_limits<double>::infinity();
    for (Eigen::Index j = 0; j < count; ++j) width(c) = c == j ? width(c) : std::min(width(c), squared(c, j));
  }
  constexpr double kMinWidth = 1e-3;  // radians: above what angles from float matrices can resolve
  if (width.minCoeff() < kMinWidth * kMinWidth) return invalid("{}: {}", what, kTooClose);
  Eigen::MatrixXd kernel(count, count);  // value of the function at centre c, at key j
  for (Eigen::Index c = 0; c < count; ++c) {
    for (Eigen::Index j = 0; j < count; ++j) kernel(c, j) = std::exp(-squared(c, j) / width(c));
  }
  const Eigen::FullPivLU<Eigen::MatrixXd> solver(kernel);
  if (solver.rcond() < 1e-7) return invalid("{}: {}", what, kTooClose);
  const Eigen::MatrixXd cardinal = solver.inverse();  // row k holds the a_c of key k
  // Weights as large as this would cancel to mere rounding, and swing far beyond 1 between the keys.
  constexpr double kMax = 50;
  if (!(cardinal.cwiseAbs().maxCoeff() <= kMax)) return invalid("{}: {}", what, kTooClose);

  const std::uint32_t first_centre = table.size();
  for (Eigen::Index c = 0; c < count; ++c) {
    for (Eigen::Index a = 0; a < dimensions; ++a) table.put(centres(c, a));
    table.put(1 / width(c));
  }
  std::vector<std::uint32_t> words;
  for (Eigen::Index k = 0; k + 1 < count; ++k) {
    words.push_back(table.size());
    table.put(shared::kKeyRbf);
    table.put(static_cast<std::uint32_t>(dimensions));
    table.put(static_cast<std::uint32_t>(count));
    table.put(angle);
    table.put(first_centre);
    for (Eigen::Index c = 0; c < count; ++c) table.put(cardinal(k, c));
  }
  return words;
}

// ----------------------------------------------------------------------------------------------------------- offsets

const MorphTarget* find_morph_target(const Mesh& mesh, const std::string& name) {
  const auto found = std::find_if(mesh.morph_targets.begin(), mesh.morph_targets.end(),
                                  [&](const MorphTarget& target) { return target.name == name; });
  return found == mesh.morph_targets.end() ? nullptr : &*found;
}

// Returns the offset of every vertex of the source.
Result<std::vector<glm::vec3>> pose_offsets(const KeyPose& pose, const Mesh& source, const std::string& what) {
  std::vector<glm::vec3> offsets(source.positions.size(), glm::vec3(0.0f));
  if (!pose.morph_target.empty()) {
    const MorphTarget* target = find_morph_target(source, pose.morph_target);
    if (target == nullptr) {
      std::vector<std::string_view> known;
      for (const MorphTarget& other : source.morph_targets) known.push_back(other.name);
      return fail(
          ErrorCode::kNotFound,
          fmt::format(
              "{}: the driver '{}' has no morph target '{}'{}", what, source.name, pose.morph_target,
              known.empty() ? "" : fmt::format("; did you mean '{}'?", nearest_name(pose.morph_target, known))));
    }
    offsets = target->offsets;
  }
  for (const VertexOffset& offset : pose.offsets) {
    if (offset.vertex >= offsets.size()) {
      return invalid("{}: offsets vertex {} of the {} of the driver '{}'", what, offset.vertex, offsets.size(),
                     source.name);
    }
    if (!is_near(offset.offset)) {
      return invalid("{}: the offset of vertex {} is not finite, or longer than {:g} m", what, offset.vertex,
                     kFarthest);
    }
    offsets[offset.vertex] += offset.offset;
  }
  return offsets;
}

Result<void> put_set(const KeyPoseSet& set, const Mesh& source, const CarryOffsets& carry, const Model& model,
                     const std::string& what, Table& table) {
  PELT_TRY(check_set(set, what));
  PELT_ASSIGN(const auto angle, put_angles(set, model, what, table));
  PELT_ASSIGN(auto keys, set.interpolation == KeyInterpolation::kLinear ? put_linear_keys(set, angle, what, table)
                                                                        : put_rbf_keys(set, angle, what, table));
  for (std::size_t p = 0; p < set.poses.size(); ++p) {
    PELT_ASSIGN(const auto offsets, pose_offsets(set.poses[p], source, fmt::format("{}, pose {}", what, p)));
    table.add_entries(keys[p], carry(offsets));
  }
  return {};
}

// Returns true if a key pose uses the morph target, which then follows the joints and not a clip.
bool is_keyed(std::span<const KeyPoseSet> key_poses, const std::string& target) {
  for (const KeyPoseSet& set : key_poses) {
    for (const KeyPose& pose : set.poses) {
      if (pose.morph_target == target) return true;
    }
  }
  return false;
}

}  // namespace

Result<std::optional<std::uint32_t>> add_pass(std::span<const KeyPoseSet> key_poses, bool morph_targets,
                                              const Mesh& source, const Mesh& mesh, const CarryOffsets& carry,
                                              const Model& model, const std::string& what, CharacterBuilder& builder) {
  Table table(mesh);
  for (std::size_t s = 0; s < key_poses.size(); ++s) {
    PELT_TRY(put_set(key_poses[s], source, carry, model, fmt::format("{}: key pose set {}", what, s), table));
  }
  for (std::uint32_t t = 0; morph_targets && t < source.morph_targets.size(); ++t) {
    const MorphTarget& target = source.morph_targets[t];
    if (is_keyed(key_poses, target.name)) continue;
    const std::uint32_t word = table.size();
    table.put(shared::kKeyControl);
    table.put(builder.control_input(source, t));
    table.put(target.weight);  // weight at which the driver was bound
    table.add_entries(word, carry(target.offsets));
  }
  std::optional<PalettePass> pass = table.finish();
  if (!pass) return std::optional<std::uint32_t>();
  return std::optional(builder.add_pass(std::move(*pass)));
}

}  // namespace pelt::key_pose
