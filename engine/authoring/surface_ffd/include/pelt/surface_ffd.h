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

// A pair of groups: one of elements of the driver, one of vertices of the skin.
struct GroupPair {
  std::string elements;
  std::string vertices;
  friend bool operator==(const GroupPair&, const GroupPair&) = default;
};

// A factor on the weights of some elements of the driver.
struct ElementStrength {
  std::string elements;  // a group on the driver
  std::string vertices;  // a group on the skin; empty: all of it
  float factor = 1;      // 0 to 1000
  friend bool operator==(const ElementStrength&, const ElementStrength&) = default;
};

// Functions of position that a row of driver vertices reproduces, besides weights that sum to 1.
enum class Precision {
  kNone,       // none; with `weight_similarity` 0 these are the weights of the paper
  kLinear,     // the vertex's position along the driver, if that is among the row's driver vertices
  kQuadratic,  // also any quadratic function of that position, by weights of both signs
};

// Which normals follow the gradient of the weights; the others follow only the frames.
enum class ExactNormals {
  // of vertices from which the painting changes little along each edge, except at joints of arms, legs, fingers and
  // toes: else they show folds
  kAuto,
  kAll,
  kNone,
};

// Parameters of surface-oriented FFD (Singh & Kokkevis 2000). docs/mathematics.md section 1 is the specification.
struct SurfaceFfdParameters {
  static constexpr std::string_view kName = "surface_ffd";

  enum class Mode {
    kBasic,     // one frame per driver triangle (equations 1 to 3)
    kExtended,  // one frame per driver vertex (section 4.2)
  };
  Mode mode = Mode::kExtended;
  float local = 4.0f;                  // falloff exponent of the weights over distance, >= 0
  std::optional<float> distance_unit;  // distance at which a weight is half, metres; none: distance_scale times the
                                       // mean edge of the driver near the vertex
  float distance_scale = 1.0f;         // > 0; about 1/3 in basic mode follows the surface of the driver most closely
  // K: driver triangles that move a vertex; 0: all; none: 26, with kQuadratic 32.
  std::optional<std::uint32_t> elements;
  // If set, metres: K is the least number of triangles with at most this error of the cut, and `elements` is ignored.
  std::optional<float> cut_error;
  Cut cut = Cut::kContinuous;
  // Basic: raises K to the largest number of triangles round a driver vertex; with a smaller K the cut jumps.
  bool raise_elements = true;
  // Extended mode without cut_error: driver vertices that move a vertex; 0: all; none: 8, with kQuadratic 12.
  std::optional<std::uint32_t> influences;
  Precision precision = Precision::kLinear;  // extended
  // Extended: exponent of the weight similarity of a vertex and a driver vertex; 0: no effect.
  float weight_similarity = 1.0f;
  ExactNormals exact_normals = ExactNormals::kAuto;  // extended
  std::vector<GroupPair> exclude;                    // these elements never move these vertices
  // These elements move only these vertices, and these vertices follow no other elements.
  std::vector<GroupPair> exclusive;
  std::vector<ElementStrength> strengths;
  // Most bones along the skeleton from a vertex's bone to an element's.
  std::optional<std::uint32_t> max_hops;
  std::uint32_t fade = 4;  // rings of vertices over which exclusions, strengths and hops fade in
  DriverParameters driver;
  friend bool operator==(const SurfaceFfdParameters&, const SurfaceFfdParameters&) = default;
};

void describe(Fields& fields, SurfaceFfdParameters& ffd);

}  // namespace pelt
