// SPDX-License-Identifier: MIT
#include "engine/character/rows/local_frames.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <pelt/finite.h>

#include "engine/character/base/invalid.h"
#include "engine/character/rows/packed_row.h"
#include "shaders/blend/blend.h"

namespace pelt {
namespace {

constexpr float kMaxLocalFrame = 1e12f;  // largest magnitude of a number

// Returns the number of groups in a row.
std::size_t group_count(const PackedBinding& packed) {
  std::size_t count = 0;
  for_each_influence(packed, 0, [&](std::uint32_t, std::size_t group, std::size_t) { count = group + 1; });
  return count;
}

// The sums over the groups of a deformer, which have one local point l: of one group, or of one of each sign.
struct Sums {
  bool known = true;          // at bind
  double share = 0;           // sum of s_g
  glm::dmat3 axes{0.0};       // sum of s_g w_gj A_gj
  glm::dvec3 e{0.0}, f{0.0};  // sum of (T_gj l - P) times the steps of the gradient of s_g w_gj
};

class Frames {
 public:
  Frames(std::span<const Affine> at_bind, const PackedBinding& packed)
      : at_bind_(at_bind), packed_(packed), vectors_(shared::kLocalFrameVectors * packed.local_points.size()) {}

  void find(std::size_t row) {
    sum(row);
    const std::size_t count = packed_.points.size();
    const std::size_t groups = packed_.local_points.size() / count;
    for (std::size_t first = 0, end; first < groups; first = end) {
      Sums all = sums_[first];
      const glm::vec3 local(packed_.local_points[first * count + row]);
      for (end = first + 1; end < groups && glm::vec3(packed_.local_points[end * count + row]) == local; ++end) {
        const Sums& more = sums_[end];
        all = {all.known && more.known, all.share + more.share, all.axes + more.axes, all.e + more.e, all.f + more.f};
      }
      for (std::size_t g = first; g < end; ++g) put(all, &vectors_[shared::kLocalFrameVectors * (g * count + row)]);
    }
  }

  bool needed() const { return needed_; }
  const std::vector<glm::vec4>& vectors() const { return vectors_; }

 private:
  // Sets sums_, group by group.
  void sum(std::size_t row) {
    sums_ = {};
    const glm::dvec3 rest(packed_.points[row]);
    for_each_influence(packed_, row, [&](std::uint32_t word, std::size_t group, std::size_t at) {
      const glm::vec4 local = packed_.local_points[group * packed_.points.size() + row];
      Sums& sums = sums_[group];
      sums.share = local.w;
      const std::uint32_t index = shared::influence_index(word);
      if (index >= at_bind_.size() || at_bind_[index] == Affine(0.0f)) {
        sums.known = false;
        return;
      }
      const glm::dmat3 axes(affine_axes(at_bind_[index]));
      sums.axes += double{local.w} * shared::influence_units(word) / shared::kWeightUnits * axes;
      if (packed_.gradients.empty()) return;
      const glm::dvec3 moved = axes * glm::dvec3(local) + glm::dvec3(affine_origin(at_bind_[index])) - rest;
      const glm::dvec2 steps(shared::gradient_steps(packed_.gradients[at / 2], static_cast<std::uint32_t>(at)));
      sums.e += steps.x * moved;
      sums.f += steps.y * moved;
    });
  }

  // With A = sum of s_g A_g at bind, S = sum of s_g: N = S A^-1, e' = A^-1 e. So B = S I, less what the gradients add.
  void put(const Sums& sums, glm::vec4* out) {
    constexpr double kRounding = 1e-6;
    glm::dmat3 n(1.0), inverse(0.0);
    if (sums.known && sums.share > 0) {
      inverse = glm::inverse(sums.axes);
      n = sums.share * inverse;
    }
    const glm::vec3 e(inverse * sums.e);
    for (int c = 0; c < 3; ++c) {
      out[c] = glm::vec4(glm::vec3(n[c]), e[c]);
      needed_ = needed_ || glm::length(n[c] - glm::dmat3(1.0)[c]) > kRounding || e[c] != 0;
    }
    out[3] = glm::vec4(glm::vec3(inverse * sums.f), 0.0f);
    needed_ = needed_ || out[3] != glm::vec4(0.0f);
  }

  std::span<const Affine> at_bind_;
  const PackedBinding& packed_;
  std::vector<glm::vec4> vectors_;
  std::array<Sums, kMaxLocalGroups> sums_;
  bool needed_ = false;
};

}  // namespace

std::span<const glm::vec4> group_points(const PackedBinding& packed) {
  const std::span<const glm::vec4> all = packed.local_points;
  return all.empty() ? all : all.first(std::min(all.size(), group_count(packed) * packed.points.size()));
}

std::span<const glm::vec4> local_frames(const PackedBinding& packed) {
  return std::span(packed.local_points).subspan(group_points(packed).size());
}

Result<void> validate_local_points(const PackedBinding& packed, Groups groups, const std::string& what) {
  const std::size_t count = packed.points.size();
  const std::size_t size = packed.local_points.size();
  if (groups != Groups::kWithPoints) {
    return size == 0 ? Result<void>() : invalid("{}: has local points, but is not blended with them", what);
  }
  if (count == 0) return size == 0 ? Result<void>() : invalid("{}: {} local points for 0 vertices", what, size);
  const std::size_t points = group_points(packed).size();
  if (points == 0 || points % count != 0 || points > kMaxLocalGroups * count ||
      (size != points && size != (1 + shared::kLocalFrameVectors) * points)) {
    return invalid("{}: {} local points for {} vertices", what, size, count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::size_t at = i; at < points; at += count) {
      const glm::vec4 local = packed.local_points[at];
      if (!is_near(glm::vec3(local))) {
        return invalid("{}: a local point of row {} is not finite, or beyond {:g}", what, i, kMaxCoordinate);
      }
      if (!(std::abs(local.w) <= kMaxShare)) return invalid("{}: a share of row {} is {}", what, i, local.w);
      sum += local.w;
    }
    if (!(std::abs(sum - 1) <= 1e-4)) return invalid("{}: the shares of row {} sum to {}, not 1", what, i, sum);
  }
  for (std::size_t at = points; at < size; ++at) {
    const glm::vec4 size_of = glm::abs(packed.local_points[at]);
    if (glm::all(glm::lessThanEqual(size_of, glm::vec4(kMaxLocalFrame)))) continue;
    return invalid("{}: a local frame of row {} is not finite, or beyond {:g}", what,
                   (at - points) / shared::kLocalFrameVectors % count, kMaxLocalFrame);
  }
  return {};
}

void append_local_frames(std::span<const Affine> at_bind, PackedBinding& packed) {
  if (at_bind.empty() || packed.local_points.empty()) return;
  Frames frames(at_bind, packed);
  for (std::size_t row = 0; row < packed.points.size(); ++row) frames.find(row);
  if (!frames.needed()) return;
  packed.local_points.insert(packed.local_points.end(), frames.vectors().begin(), frames.vectors().end());
}

}  // namespace pelt
