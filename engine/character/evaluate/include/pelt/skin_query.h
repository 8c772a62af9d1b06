// SPDX-License-Identifier: MIT
// Rays, nearest points and spheres against the posed skin, on the CPU. A query moves only blocks of vertices whose
// boxes it meets, and gives the same answer as a search of the whole moved skin.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include <pelt/anchor.h>
#include <pelt/character.h>
#include <pelt/evaluate.h>
#include <pelt/result.h>

namespace pelt {

// The triangles of a character's skins in a tree of blocks. Immutable: copies are cheap and share the data.
class SkinIndex {
 public:
  // Errors: kInvalidArgument if no skin has triangles; kOutOfMemory.
  static Result<SkinIndex> create(const Character& character);

  struct Data;
  const Data& operator*() const { return *data_; }

 private:
  explicit SkinIndex(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

struct SkinHit {
  SkinPoint point;
  glm::vec3 position{0.0f};  // model space, metres
  float distance = 0;        // from the ray's origin or the query's position, metres
};

// A triangle of a skin, as in SkinPoint.
struct SkinTriangle {
  std::uint32_t mesh = 0;
  std::uint32_t triangle = 0;
  friend auto operator<=>(const SkinTriangle&, const SkinTriangle&) = default;
};

// Answers queries in the pose of an evaluator's last evaluate() or evaluate_controls(), of which the second suffices.
// Moved vertices are kept for further queries in the same pose. create() allocates all memory; queries do not allocate.
//
// Positions and lengths are in model space, metres. Errors of all queries: kInvalidArgument if a number is not finite
// or beyond kMaxCoordinate, or if nothing was evaluated yet; kUnsupported after an evaluation with
// Detail::kLinearBlend.
class SkinQuery {
 public:
  // `evaluator`: must outlive the query, and not be moved. Errors: kInvalidArgument if it evaluates another
  // character than the index's; kOutOfMemory.
  static Result<SkinQuery> create(const SkinIndex& index, const Evaluator& evaluator);
  ~SkinQuery();
  SkinQuery(SkinQuery&&) noexcept;
  SkinQuery& operator=(SkinQuery&&) noexcept;

  // Returns the first point of the skin on a ray, from outside or from inside, or none. Triangles that the ray lies in
  // are not hit; an edge or a corner is no gap. `direction`: of any length above 0.
  Result<std::optional<SkinHit>> ray(glm::vec3 origin, glm::vec3 direction, float longest = kAnyLength);

  // Returns the point of the skin that is nearest to a position, or none within `farthest`.
  Result<std::optional<SkinHit>> nearest(glm::vec3 position, float farthest = kAnyLength);

  // Finds all triangles with a point within `radius` of `center`. Writes the first found.size(), in no order, and
  // returns how many there are.
  Result<std::size_t> overlap(glm::vec3 center, float radius, std::span<SkinTriangle> found);

  // Returns how many vertices queries have moved since the last evaluation.
  std::size_t moved_vertices() const;

  static constexpr float kAnyLength = std::numeric_limits<float>::infinity();

 private:
  struct State;
  explicit SkinQuery(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt
