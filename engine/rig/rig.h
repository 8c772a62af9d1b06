// SPDX-License-Identifier: MIT
// What a rigger edits: which deformer moves which mesh. Plain structs; rig.schema.json describes the same thing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/binding/sparse_rows.h"

namespace pelt {

// The baselines take no parameters: they use the weights of the model.
struct LinearBlendParameters {
  friend bool operator==(const LinearBlendParameters&, const LinearBlendParameters&) = default;
};
struct DualQuaternionParameters {
  friend bool operator==(const DualQuaternionParameters&, const DualQuaternionParameters&) = default;
};

// How a control mesh follows the skeleton.
enum class Follow {
  kDualQuaternion,  // weights transferred from the skin, blended as dual quaternions: least collapse, the default
  kLinearBlend,     // weights transferred from the skin, blended linearly
  kClosestLimb,     // rigid to the closest limb (Singh & Kokkevis 2000); creases by 80 to 140 degrees
};

// The driver of a surface-oriented FFD: a mesh of the model, a mesh file, or (neither given) the target meshes welded
// and simplified.
struct DriverParameters {
  std::string mesh;                // name of a mesh of the model, which then is a control mesh and not skin
  std::string file;                // glTF or OBJ, relative to the rig file
  std::uint32_t triangles = 2000;  // of a driver made by simplification
  Follow follow = Follow::kDualQuaternion;
  friend bool operator==(const DriverParameters&, const DriverParameters&) = default;
};

// Surface-oriented FFD (Singh & Kokkevis 2000); math.md section 1 is the specification.
struct SurfaceFfdParameters {
  enum class Mode {
    kBasic,     // one frame a driver triangle (equations 1 to 3)
    kExtended,  // one frame a driver vertex (section 4.2)
  };
  Mode mode = Mode::kExtended;
  float local = 4.0f;                  // falloff exponent, >= 0
  std::optional<float> distance_unit;  // metres; none: mean length of the driver's unique edges
  std::uint32_t elements = 32;         // K, driver triangles a vertex; 0: all
  Cut cut = Cut::kContinuous;
  bool raise_elements = true;  // basic: raise K to the driver's largest valence, below which the cut jumps
  DriverParameters driver;
  friend bool operator==(const SurfaceFfdParameters&, const SurfaceFfdParameters&) = default;
};

using DeformerParameters = std::variant<LinearBlendParameters, DualQuaternionParameters, SurfaceFfdParameters>;

// Where a layer acts: a constant times the summed weights of the named joints (none named: 1). In [0, 1].
struct Mask {
  float value = 1.0f;
  std::vector<std::string> joints;
  friend bool operator==(const Mask&, const Mask&) = default;
};

struct Layer {
  std::string target = "*";  // name of a mesh, or * for all that no other layer's driver uses
  DeformerParameters deformer;
  Mask mask;
  friend bool operator==(const Layer&, const Layer&) = default;
};

// Layers are laid one over the other in order: where a layer's mask is 1 it hides those before it. The first layer of
// a mesh acts everywhere. A mesh that no layer names is moved by linear blend.
struct Rig {
  std::string name;
  std::string directory;  // where relative file names start; not part of the file
  std::vector<Layer> layers;
  friend bool operator==(const Rig&, const Rig&) = default;
};

// The deformer's one name, as in rig files: linear_blend, dual_quaternion, surface_ffd.
std::string_view deformer_name(const DeformerParameters& parameters);

// One layer over all meshes, with the deformer's defaults. `deformer` is one of the names above, with underscores or,
// as on the command line, hyphens. Errors: kNotFound, with the list of names and the nearest one.
Result<Rig> rig_from_deformer_name(const std::string& deformer);

}  // namespace pelt
