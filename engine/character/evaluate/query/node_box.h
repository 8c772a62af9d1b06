// SPDX-License-Identifier: MIT
// Boxes round the posed vertices of a node of a SkinIndex, found only from the palette.
//
// Linear blends, combined or not: v' is in the convex hull of the images T_j p (shaders/bounds/bounds.h), so in the box
// of the images of the boxes of the points that each mover moves. If a mover has several entries, R is one of them and
// c the middle of what they move; then
//     T_j p = R p + (T_j - R) c + (T_j - R)(p - c)
// and the box grows by the box of the (T_j - R) c, and by the largest |T_j - R| times |p - c|.
//
// Dual quaternions: let b = sum m_j q_j with the mean weights m_j of the node and all q_j on one side, beta = |b_r|,
// and y the image of the middle c of the vertices under b. With real parts r_j and, of the motions from c to y, dual
// parts e_j, |e_j| = |T_j c - y| / 2, weights m_j + d_j, sum d_j = 0, change the blend's real part by at most
//     rho = sum |d_j| |r_j - b_r|,   and its dual part by at most   tau = sum |d_j| |e_j|.
// At the mean the dual part is a number s = b_r . b_d / beta. The translation of a blend is 2 vec(dual conj(real)) over
// the square of its length, which is at least L; so the image of c moves by at most 2 tau / L + 2 |s| rho / L^2, and
// that of c + x turns by at most 2 rho / L |x| more. If c_ij = r_i . r_j >= c for all pairs, L^2 is at least c, since
// the weights sum to 1; and L >= beta - rho.
// If the q_j have no common side, each vertex has a pivot with a weight of at least 1 / n: relative to its motion a
// point moves by at most n - 1 times the greatest distance between two images (shaders/bounds/bounds.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include <pelt/frame.h>

#include "engine/character/evaluate/query/skin_index.h"
#include "shaders/bounds/bounds.h"

namespace pelt {

// A palette entry, or a mover, in a pose.
struct PosedMover {
  glm::vec4 x, y, z, origin;  // columns of R; `origin` includes the middle of the box of the (T_j - R) c
  glm::vec4 reach{0.0f};      // half of that box's sides
  float change = 0;           // the largest |T_j - R|

  explicit PosedMover(const Affine& r)
      : x(r[0].x, r[1].x, r[2].x, 0),
        y(r[0].y, r[1].y, r[2].y, 0),
        z(r[0].z, r[1].z, r[2].z, 0),
        origin(r[0].w, r[1].w, r[2].w, 0) {}

  PosedMover(const SkinIndex::Data::Mover& mover, const Affine* palette)
      : PosedMover(palette[mover.first_entry + mover.entry_count / 2]) {
    const Affine* entries = palette + mover.first_entry;
    const Affine& r = entries[mover.entry_count / 2];
    const glm::vec4 middle(mover.middle, 1);
    glm::vec3 least(0.0f), greatest(0.0f);
    float squared = 0;
    for (std::uint32_t i = 0; mover.entry_count > 1 && i < mover.entry_count; ++i) {
      const glm::vec4 a = entries[i][0] - r[0], b = entries[i][1] - r[1], c = entries[i][2] - r[2];
      const glm::vec3 at(glm::dot(a, middle), glm::dot(b, middle), glm::dot(c, middle));
      least = glm::min(least, at);
      greatest = glm::max(greatest, at);
      const glm::vec4 squares = a * a + b * b + c * c;
      squared = std::max(squared, squares.x + squares.y + squares.z);
    }
    origin += glm::vec4(0.5f * (least + greatest), 0);
    reach = glm::vec4(0.5f * (greatest - least), 0);
    change = 1.00001f * std::sqrt(squared);
  }

  // Extends least and greatest by the box of the images. `wider`: the farthest that morph targets move points.
  void extend(const SkinIndex::Data::Moved& by, float wider, glm::vec4& least, glm::vec4& greatest) const {
    const glm::vec3 half = by.reach + wider;
    const glm::vec4 middle = x * by.middle.x + y * by.middle.y + z * by.middle.z + origin;
    const glm::vec4 half_sides = glm::abs(x) * half.x + glm::abs(y) * half.y + glm::abs(z) * half.z + reach +
                                 change * (by.from_middle + 2 * wider);
    least = glm::min(least, middle - half_sides);
    greatest = glm::max(greatest, middle + half_sides);
  }
};

// The box of the vertices of a node that palette entries or movers move. `movers`: empty if it is by entries.
// `negative`: as in SkinIndex::Data::Node.
inline shared::Box moved_box(std::span<const SkinIndex::Data::Moved> moved, std::span<const PosedMover> movers,
                             const Affine* palette, float wider, float negative) {
  glm::vec4 least(std::numeric_limits<float>::max()), greatest(-least);
  if (movers.empty()) {
    for (const auto& by : moved) PosedMover(palette[by.number]).extend(by, wider, least, greatest);
  } else {
    for (const auto& by : moved) movers[by.number].extend(by, wider, least, greatest);
  }
  const glm::vec4 grown = negative * (greatest - least);
  return {glm::vec3(least - grown), glm::vec3(greatest + grown)};
}

// The box of the vertices of a node that dual quaternions move.
inline shared::Box turned_box(std::span<const SkinIndex::Data::Turned> turned, const SkinIndex::Data::Dual& dual,
                              const Affine* palette, float wider) {
  constexpr std::size_t kMost = 32;  // of entries that are compared in pairs
  glm::vec3 middle = dual.middle, reach = dual.reach + wider;
  shared::Box stretched = shared::box_begin();
  bool stretches = false;
  for (const auto& by : turned) stretches = stretches || palette[by.entry][2].x != 0;
  if (stretches) {
    for (const auto& by : turned) stretched = shared::box_with_mapped(stretched, palette[by.entry + 1], middle, reach);
    middle = 0.5f * (stretched.least + stretched.greatest);
    reach = 0.5f * (stretched.greatest - stretched.least);
  }
  const glm::vec4 pivot = palette[turned[0].entry][0];
  const auto side = [&](const SkinIndex::Data::Turned& by) {
    return glm::dot(palette[by.entry][0], pivot) < 0 ? -1.0f : 1.0f;
  };
  shared::DualQuaternion mean{glm::vec4(0.0f), glm::vec4(0.0f)};
  for (const auto& by : turned) {
    const Affine& entry = palette[by.entry];
    mean = shared::dual_quaternion_add(mean, {entry[0], entry[1]}, side(by) * by.weight);
  }
  const float beta = glm::length(mean.real);
  const bool has_mean = beta > 0.1f;
  if (!has_mean) mean = {pivot, palette[turned[0].entry][1]};
  const Affine frame = shared::rigid_from_dual_quaternion(mean, mean);
  const glm::vec3 y = transform_point(frame, middle);
  const glm::vec3 step = 0.5f * (middle - y), sum = 0.5f * (middle + y);
  float rho = 0, tau = 0, largest_turn = 0, largest_step = 0;
  for (const auto& by : turned) {
    const Affine& entry = palette[by.entry];
    const glm::vec4 r = entry[0];
    const glm::vec3 v(r);
    const float turn = glm::distance(side(by) * r, mean.real);
    const float moved = glm::length(entry[1] + glm::vec4(step * r.w + glm::cross(v, sum), -glm::dot(step, v)));
    rho += by.change * turn;
    tau += by.change * moved;
    largest_turn = std::max(largest_turn, turn);
    largest_step = std::max(largest_step, moved);
  }
  rho = std::min(rho, dual.change * largest_turn);
  tau = std::min(tau, dual.change * largest_step);
  float least_cosine = 1 - 2 * largest_turn * largest_turn;
  if (least_cosine < 0.1f && turned.size() <= kMost) {
    least_cosine = 1;
    for (const auto& a : turned) {
      for (const auto& b : turned) {
        const float cosine = glm::dot(palette[a.entry][0], palette[b.entry][0]);
        least_cosine = std::min(least_cosine, side(a) * side(b) * cosine);
      }
    }
  }
  if (!has_mean || least_cosine < 1e-3f) {
    const float n = static_cast<float>(dual.entries);
    const float grown = 2 * largest_step * (2 * n - 1) + glm::length(reach);
    return {y - grown, y + grown};
  }
  const float least = std::max(beta - rho, std::sqrt(least_cosine));
  const float number = std::abs(glm::dot(mean.real, mean.dual)) / beta;
  const float grown = 2 / least * (tau + rho * (number / least + glm::length(reach)));
  return shared::box_grown(shared::box_with(shared::box_begin(), y, shared::mapped_reach(frame, reach)),
                           glm::vec3(1.0001f * grown));
}

}  // namespace pelt
