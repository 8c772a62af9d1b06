// SPDX-License-Identifier: MIT
// Parameters of surface-oriented FFD (Singh & Kokkevis 2000).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/driver.h>
#include <pelt/sparse_rows.h>

namespace pelt {

class Fields;

// A pair of groups: elements of the driver, vertices of the skin.
struct GroupPair {
  std::string elements;
  std::string vertices;
  friend bool operator==(const GroupPair&, const GroupPair&) = default;
};

// What a row of driver vertices reproduces, beyond weights that sum to 1.
enum class Precision {
  kNone,       // nothing; with a likeness of 0 the paper's weights
  kLinear,     // the vertex's place along the driver, where that lies among the row's driver vertices
  kQuadratic,  // any quadratic function of place along the driver, too, by weights of both signs
};

// Surface-oriented FFD (Singh & Kokkevis 2000); docs/mathematics.md section 1 is the specification.
struct SurfaceFfdParameters {
  static constexpr std::string_view kName = "surface_ffd";

  enum class Mode {
    kBasic,     // one frame a driver triangle (equations 1 to 3)
    kExtended,  // one frame a driver vertex (section 4.2)
  };
  Mode mode = Mode::kExtended;
  float local = 4.0f;                     // falloff exponent, >= 0
  std::optional<float> distance_unit;     // metres; none: the driver's mean edge near the vertex, times
  float distance_scale = 1.0f;            // > 0; about a third and basic follow the driver's own surface most closely
  std::optional<std::uint32_t> elements;  // K, driver triangles a vertex; 0: all; none: 26, kQuadratic 32
  std::optional<float> cut_error;         // metres: instead of elements, the least K that stays under it
  Cut cut = Cut::kContinuous;
  bool raise_elements = true;  // basic: raise K to the driver's largest valence, below which the cut jumps
  // extended, without cut_error: driver vertices that may move a vertex; 0: all; none: 8, kQuadratic 12
  std::optional<std::uint32_t> influences;
  Precision precision = Precision::kLinear;  // extended
  float likeness = 1.0f;  // extended: exponent of how alike vertex and driver vertex are painted; 0: counts for nothing
  bool exact_normals = true;         // extended: with the gradient of the weights, or of the frames alone
  std::vector<GroupPair> exclude;    // these elements never move these vertices
  std::vector<GroupPair> exclusive;  // these elements move these vertices alone, and these vertices follow no other
  std::optional<std::uint32_t> max_hops;  // joints along the skeleton from a vertex's bone to an element's
  std::uint32_t fade = 4;                 // rings of vertices over which exclusions and hops set in
  DriverParameters driver;
  friend bool operator==(const SurfaceFfdParameters&, const SurfaceFfdParameters&) = default;
};

void describe(Fields& fields, SurfaceFfdParameters& ffd);

}  // namespace pelt
