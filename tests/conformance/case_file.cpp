// SPDX-License-Identifier: MIT
#include "tests/conformance/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/linear_blend.h>
#include <pelt/mos.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/file_io.h>

namespace pelt::conformance {
namespace {

using Json = nlohmann::json;

// Thrown and caught in this file only.
struct Malformed {
  std::string what;
};

// A value and its place in the file; every access checks what it finds.
class Node {
 public:
  Node(const Json& json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw Malformed{fmt::format("{}: {}", pointer_.empty() ? "/" : pointer_, what)};
  }

  bool has(const char* key) const { return json_.is_object() && json_.contains(key) && !json_.at(key).is_null(); }
  bool is_null() const { return json_.is_null(); }
  bool is_array() const { return json_.is_array(); }
  bool is_string() const { return json_.is_string(); }

  Node at(const char* key) const {
    if (!json_.is_object()) refuse("must be an object");
    if (!json_.contains(key)) refuse(fmt::format("the key '{}' is missing", key));
    return {json_.at(key), fmt::format("{}/{}", pointer_, key)};
  }

  std::size_t size() const {
    if (!json_.is_array()) refuse("must be an array");
    return json_.size();
  }

  Node item(std::size_t i) const { return {json_.at(i), fmt::format("{}/{}", pointer_, i)}; }

  void expect_size(std::size_t wanted) const {
    if (size() != wanted) refuse(fmt::format("must have {} entries, has {}", wanted, size()));
  }

  std::string text() const {
    if (!json_.is_string()) refuse("must be a string");
    return json_.get<std::string>();
  }

  bool flag() const {
    if (!json_.is_boolean()) refuse("must be true or false");
    return json_.get<bool>();
  }

  // Returns a number that fits a float.
  double number() const {
    if (!json_.is_number()) refuse("must be a number");
    const double value = json_.get<double>();
    if (std::abs(value) > std::numeric_limits<float>::max()) refuse("is too large");
    return value;
  }

  // Returns an index in [0, end).
  std::uint32_t index(std::size_t end) const {
    if (!json_.is_number_unsigned() || json_.get<std::uint64_t>() >= end) {
      refuse(fmt::format("must be an index below {}", end));
    }
    return json_.get<std::uint32_t>();
  }

  template <class Read>
  auto each(const Read& read) const {
    std::vector<decltype(read(*this))> values;
    values.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) values.push_back(read(item(i)));
    return values;
  }

 private:
  const Json& json_;
  std::string pointer_;
};

glm::dvec3 read_vector(const Node& node) {
  node.expect_size(3);
  return {node.item(0).number(), node.item(1).number(), node.item(2).number()};
}

// Reads 12 numbers, a 3x4 matrix row by row.
glm::dmat4 read_frame(const Node& node) {
  node.expect_size(12);
  glm::dmat4 matrix(1.0);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 4; ++column) {
      matrix[column][row] = node.item(static_cast<std::size_t>(4 * row + column)).number();
    }
  }
  return matrix;
}

// Reads the parent of every joint; -1: a root.
std::vector<std::int32_t> read_parents(const Node& node, std::size_t joint_count) {
  node.expect_size(joint_count);
  std::vector<std::int32_t> parents = node.each([&](const Node& entry) {
    if (entry.number() == -1) return -1;
    return static_cast<std::int32_t>(entry.index(joint_count));
  });
  for (std::size_t j = 0; j < joint_count; ++j) {
    std::size_t steps = 0;
    for (std::int32_t up = parents[j]; up >= 0; up = parents[static_cast<std::size_t>(up)]) {
      if (++steps > joint_count) node.item(j).refuse("is above itself");
    }
  }
  return parents;
}

std::vector<glm::vec3> narrowed(const std::vector<glm::dvec3>& values) { return {values.begin(), values.end()}; }

std::vector<glm::uvec3> read_triangles(const Node& node, std::size_t vertex_count) {
  return node.each([&](const Node& triangle) {
    triangle.expect_size(3);
    return glm::uvec3(triangle.item(0).index(vertex_count), triangle.item(1).index(vertex_count),
                      triangle.item(2).index(vertex_count));
  });
}

Mesh read_skin(const Node& node) {
  Mesh mesh;
  mesh.name = "skin";
  mesh.positions = narrowed(node.at("positions").each(read_vector));
  if (mesh.positions.empty()) node.at("positions").refuse("is empty");
  mesh.normals = narrowed(node.at("normals").each(read_vector));
  node.at("normals").expect_size(mesh.positions.size());
  mesh.triangles = read_triangles(node.at("triangles"), mesh.positions.size());
  if (!mesh.triangles.empty()) mesh.parts = {{0, static_cast<std::uint32_t>(mesh.triangles.size()), -1}};
  return mesh;
}

Mesh read_driver(const Node& node, std::size_t number) {
  Mesh mesh;
  mesh.name = fmt::format("driver{}", number);
  mesh.positions = narrowed(node.at("positions").each(read_vector));
  mesh.triangles = read_triangles(node.at("triangles"), mesh.positions.size());
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  mesh.parts = {{0, static_cast<std::uint32_t>(mesh.triangles.size()), -1}};
  return mesh;
}

SparseRows read_weights(const Node& node, std::size_t vertex_count, std::size_t joint_count) {
  node.expect_size(vertex_count);
  SparseRows rows;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    rows.append_row(node.item(v).each([&](const Node& pair) {
      pair.expect_size(2);
      return Influence{pair.item(0).index(joint_count), static_cast<float>(pair.item(1).number())};
    }));
  }
  return rows;
}

// Reads one of these names.
template <class Value>
Value read_name(const Node& node, const std::vector<std::pair<std::string, Value>>& names) {
  std::string known;
  for (const auto& [name, value] : names) {
    if (node.text() == name) return value;
    known += (known.empty() ? "" : " or ") + name;
  }
  node.refuse("must be " + known);
}

Cut read_cut(const Node& node) {
  return read_name<Cut>(node, {{"hard", Cut::kHard}, {"continuous", Cut::kContinuous}});
}

std::vector<IndexRange> read_indices(const Node& node, std::size_t end) {
  return node.each([&](const Node& entry) {
    const std::uint32_t i = entry.index(end);
    return IndexRange{i, i};
  });
}

// Lets the first layer exclude a pair of groups with these members.
void add_exclusion(std::vector<IndexRange> elements, std::vector<IndexRange> vertices, Rig& rig) {
  if (elements.empty() || vertices.empty()) return;
  const GroupPair pair{fmt::format("elements{}", rig.groups.size()), fmt::format("vertices{}", rig.groups.size())};
  rig.groups.push_back({.name = pair.elements, .triangles = std::move(elements)});
  rig.groups.push_back({.name = pair.vertices, .vertices = std::move(vertices)});
  rig.layers[0].deformer.get<SurfaceFfdParameters>().exclude.push_back(pair);
}

void read_exclusions(const Node& set, const Case& own, Rig& rig) {
  if (!set.has("exclude")) return;
  const Node exclude = set.at("exclude");
  for (std::size_t i = 0; i < exclude.size(); ++i) {
    add_exclusion(read_indices(exclude.item(i).at("elements"), own.drivers[0].triangles.size()),
                  read_indices(exclude.item(i).at("vertices"), own.skin.positions.size()), rig);
  }
}

// The case gives the bone of each element, which weights of the driver's vertices cannot express: the hops become
// groups.
void read_hops(const Node& hops, const Case& own, Rig& rig) {
  const std::vector<double> parents = hops.at("parents").each([](const Node& node) { return node.number(); });
  const std::size_t bones = parents.size();
  const auto path = [&](std::size_t bone) {  // from the bone to the root
    std::vector<std::size_t> result = {bone};
    while (parents[result.back()] >= 0 && result.size() <= bones) {
      result.push_back(static_cast<std::size_t>(parents[result.back()]));
    }
    return result;
  };
  const auto distance = [&](std::size_t a, std::size_t b) {
    const std::vector<std::size_t> up = path(a);
    const std::vector<std::size_t> other = path(b);
    for (std::size_t i = 0; i < up.size(); ++i) {
      const auto meets = std::find(other.begin(), other.end(), up[i]);
      if (meets != other.end()) return i + static_cast<std::size_t>(meets - other.begin());
    }
    return bones + 1;
  };
  const bool by_kind = hops.has("elements");
  const Node element_bones = hops.at(by_kind ? "elements" : "element_bones");
  const Node vertex_bones = hops.at(by_kind ? "vertices" : "vertex_bones");
  element_bones.expect_size(own.drivers[0].triangles.size());
  vertex_bones.expect_size(own.skin.positions.size());
  const std::uint32_t limit = hops.at("limit").index(std::numeric_limits<std::uint32_t>::max());
  for (std::size_t bone = 0; bone < bones; ++bone) {
    std::vector<IndexRange> vertices;
    for (std::uint32_t v = 0; v < vertex_bones.size(); ++v) {
      if (vertex_bones.item(v).index(bones) == bone) vertices.push_back({v, v});
    }
    std::vector<IndexRange> elements;
    for (std::uint32_t k = 0; k < element_bones.size(); ++k) {
      if (distance(bone, element_bones.item(k).index(bones)) > limit) elements.push_back({k, k});
    }
    add_exclusion(std::move(elements), std::move(vertices), rig);
  }
}

// Reads the parameters that every kind of surface FFD has.
SurfaceFfdParameters read_weighting(const Node& set) {
  SurfaceFfdParameters ffd;
  ffd.exact_normals = false;  // the reference's normals are those of the blended frame
  ffd.mode = SurfaceFfdParameters::Mode::kBasic;
  ffd.local = static_cast<float>(set.at("local").number());
  if (const Node unit = set.at("unit"); !unit.is_string()) {
    ffd.distance_unit = static_cast<float>(unit.number());
  } else if (unit.text() != "auto") {
    unit.refuse("must be a number or auto");
  } else if (set.has("unit_value")) {
    ffd.distance_unit = static_cast<float>(set.at("unit_value").number());  // one for the whole driver
  }
  ffd.elements = 0;
  if (set.has("K")) {
    ffd.elements = set.at("K").index(std::numeric_limits<std::uint32_t>::max());
    if (ffd.elements == 0) set.at("K").refuse("must be at least 1, or null");
  }
  if (set.has("cut")) ffd.cut = read_cut(set.at("cut"));
  ffd.raise_elements = false;  // keeps K as it is given
  ffd.influences = 0;
  ffd.precision = Precision::kNone;
  ffd.likeness = 0;
  ffd.fade = 0;
  ffd.driver.follow = Follow::kStreamed;
  return ffd;
}

Layer skin_layer(DeformerParameters deformer) { return {.target = "skin", .deformer = std::move(deformer)}; }

void read_surface_ffd_settings(const Node& set, const Case& own, Variant& variant) {
  SurfaceFfdParameters ffd = read_weighting(set);
  ffd.driver.mesh = own.drivers[0].name;
  const std::string mode = set.at("mode").text();
  if (mode != "basic" && mode != "extended" && mode != "extended_estimated") {
    variant.unsupported = "mode " + mode;
    return;
  }
  if (mode != "basic") ffd.mode = SurfaceFfdParameters::Mode::kExtended;
  if (mode == "extended") {
    ffd.driver.follow = Follow::kLinearBlend;
    variant.follows_transforms = true;
  }
  variant.rig.layers = {skin_layer(std::move(ffd))};
  read_exclusions(set, own, variant.rig);
  if (set.has("use_hops") && set.at("use_hops").flag()) read_hops(set.at("hops"), own, variant.rig);
}

std::vector<float> read_numbers(const Node& node) {
  return node.each([](const Node& number) { return static_cast<float>(number.number()); });
}

void read_patch_settings(const Node& set, const Node& patch, Variant& variant) {
  constexpr std::size_t kMax = 1u << 16u;
  SurfaceFfdParameters ffd = read_weighting(set);
  if (set.at("unit").is_string()) ffd.distance_unit.reset();
  PatchParameters own;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    own.shape[axis] = patch.at("shape").item(axis).index(kMax);
    own.degree[axis] = patch.at("degree").item(axis).index(kMax);
  }
  own.knots_u = read_numbers(patch.at("knots_u"));
  own.knots_v = read_numbers(patch.at("knots_v"));
  own.control = narrowed(patch.at("control").each(read_vector));
  if (patch.has("weights")) own.weights = read_numbers(patch.at("weights"));
  ffd.driver.patches = {std::move(own)};
  variant.rig.layers = {skin_layer(std::move(ffd))};
}

// Reads several drivers on one skin, combined as in Wires.
void read_combine_settings(const Node& set, const Node& each, const Case& own, Variant& variant) {
  for (std::size_t d = 0; d < own.drivers.size(); ++d) {
    SurfaceFfdParameters ffd = read_weighting(each);
    ffd.driver.mesh = own.drivers[d].name;
    Layer layer = skin_layer(std::move(ffd));
    if (d > 0) layer.wires = static_cast<float>(set.at("m").number());
    variant.rig.layers.push_back(std::move(layer));
  }
}

void read_linear_blend_settings(const Node& set, Variant& variant) {
  const std::string method = set.at("method").text();
  if (method == "linear_blend") {
    variant.rig.layers = {skin_layer(LinearBlendParameters{})};
  } else if (method == "dual_quaternion") {
    variant.rig.layers = {skin_layer(DualQuaternionParameters{})};
  } else {
    variant.unsupported = "method " + method;
  }
}

// Returns the name of a case's joint in the model.
std::string joint_name(std::uint32_t joint) { return fmt::format("joint{}", joint); }

// The chains of a curve skeleton case: joints in order.
std::vector<std::vector<std::uint32_t>> read_chains(const Node& root, std::size_t joint_count) {
  const auto read = [&](const Node& chain) {
    return chain.each([&](const Node& joint) { return joint.index(joint_count); });
  };
  if (root.has("chains")) return root.at("chains").each(read);
  return {read(root.at("chain"))};
}

// Checks that the twist of each chain starts at the joint nearest the root.
void check_tops(const Node& root, const std::vector<std::vector<std::uint32_t>>& chains, const Case& own) {
  if (!root.has("chain_tops")) return;
  const Node tops = root.at("chain_tops");
  tops.expect_size(chains.size());
  const std::vector<std::size_t> depth = depths(own.parents);
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const std::uint32_t top = chains[c][tops.item(c).index(chains[c].size())];
    for (const std::uint32_t joint : chains[c]) {
      if (depth[joint] < depth[top]) tops.item(c).refuse(fmt::format("joint {} is nearer the root", joint));
    }
  }
}

// Reads a length of a joint; the lengths of all chains may be null.
std::optional<float> read_length(const Node& bind, const char* key, std::size_t chain, std::size_t i) {
  if (!bind.has(key)) return std::nullopt;
  const Node all = bind.at(key);
  const Node entry = all.size() > 0 && all.item(0).is_array() ? all.item(chain).item(i) : all.item(i);
  if (entry.is_null()) return std::nullopt;
  return static_cast<float>(entry.number());
}

std::vector<CurveKey> read_twist_keys(const Node& keys) {
  return keys.each([](const Node& key) {
    key.expect_size(2);
    return CurveKey{static_cast<float>(key.item(0).number()), static_cast<float>(key.item(1).number())};
  });
}

void read_curve_settings(const Node& set, const Node& root, const Case& own, Variant& variant) {
  if (set.at("knots").text() != "uniform" || set.at("parameter").text() != "arc") {
    variant.unsupported = fmt::format("{} knots, parameter {}", set.at("knots").text(), set.at("parameter").text());
    return;
  }
  const Node bind = root.at("bind");
  CurveSkeletonParameters curves;
  curves.automatic = false;
  curves.frames = read_name<CurveFrames>(set.at("frames"),
                                         {{"endpoint", CurveFrames::kEndpoint}, {"tangent", CurveFrames::kTangent}});
  curves.reference = read_name<CurveReference>(
      set.at("zref"), {{"joint", CurveReference::kJoint}, {"half", CurveReference::kHalfSwing}});
  curves.centre = static_cast<float>(set.at("centre").number());
  curves.float_margin = 1;
  curves.bulge.volume = 0;
  const auto chains = read_chains(root, own.joints_at_rest.size());
  check_tops(root, chains, own);
  for (std::size_t c = 0; c < chains.size(); ++c) {
    CurvePath& path = curves.curves.emplace_back();
    path.name = fmt::format("curve{}", c);
    for (std::size_t i = 0; i < chains[c].size(); ++i) {
      path.joints.push_back(joint_name(chains[c][i]));
      if (i == 0 || i + 1 == chains[c].size()) continue;  // entries of the end joints are unused
      CurveJoint joint;
      joint.joint = path.joints.back();
      if (const auto f = read_length(bind, "f", c, i)) joint.float_distance = {{0, *f}};
      joint.skin_distance = read_length(bind, "d", c, i);
      joint.float_min = read_length(bind, "f_min", c, i);
      joint.float_max = read_length(bind, "f_max", c, i);
      joint.twist_after = 0.0f;  // theta accumulates in the bones before the joints
      const auto same = [&](const CurveJoint& other) { return other.joint == joint.joint; };
      const auto known = std::find_if(curves.joints.begin(), curves.joints.end(), same);
      if (known == curves.joints.end()) {
        curves.joints.push_back(std::move(joint));
      } else if (!(*known == joint)) {
        variant.unsupported = fmt::format("{} differs from curve to curve", joint.joint);
        return;
      }
    }
    if (!set.has("distribution")) continue;
    const Node distribution = set.at("distribution");
    for (std::size_t i = 0; i + 1 < chains[c].size() && i < distribution.size(); ++i) {
      if (distribution.item(i).is_null()) continue;
      curves.bones.push_back({path.joints[i], path.joints[i + 1], read_twist_keys(distribution.item(i)), false});
    }
  }
  variant.rig.layers = {skin_layer(std::move(curves))};
}

std::vector<std::string> read_op_points(const Node& op) {
  return op.at("points").each([](const Node& point) { return fmt::format("point{}", point.index(1u << 20)); });
}

// Reads an operation. Operations apply in every pose but "bind": the last joint of the case drives them.
MosEdit read_op(const Node& op, const Case& own) {
  MosEdit edit;
  edit.driver = KeyAngle{joint_name(static_cast<std::uint32_t>(own.joints_at_rest.size()) - 1), {0, 0, 1}};
  edit.share = {{0, 0}, {45, 1}};
  const std::string kind = op.at("op").text();
  if (kind != "motion") edit.points = read_op_points(op);
  if (kind == "bulge") {
    edit.operation = MosOperation::kBulge;
    edit.factor = static_cast<float>(op.at("factor").number());
    if (op.has("pivot")) edit.pivot = glm::vec3(read_vector(op.at("pivot")));
  } else if (kind == "slide") {
    edit.operation = MosOperation::kSlide;
    edit.distance = static_cast<float>(op.at("amount").number());
  } else if (kind == "slide_local") {
    edit.operation = MosOperation::kSlide;
    edit.offset = glm::vec3(read_vector(op.at("delta")));
  } else if (kind == "scale") {
    edit.operation = MosOperation::kScale;
    edit.scale = glm::vec3(read_vector(op.at("factor")));
  } else if (kind == "motion") {
    edit.operation = MosOperation::kMotion;
    edit.factor = static_cast<float>(op.at("factor").number());
  } else {
    op.at("op").refuse("is an unknown operation");
  }
  return edit;
}

// Returns the model's number of a joint: the world is joint 0, before the case's joints.
std::uint32_t mos_joint(const Node& node, const Case& own) { return 1 + node.index(own.joints_at_rest.size() - 2); }

// Returns true if points twist about the bone that leaves their joint along the chain (points of its last joint: about
// the bone before).
bool twists_about_bones(const Node& points, const Case& own) {
  const Node joints = points.at("joint");
  const Node axes = points.at("twist_axis_local");
  axes.expect_size(joints.size());
  const auto origin = [&](std::size_t k) { return glm::dvec3(own.joints_at_rest[mos_joint(joints.item(k), own)][3]); };
  glm::dvec3 bone(0.0);  // bone of the points from k on that have one joint
  for (std::size_t k = 0; k < joints.size(); ++k) {
    std::size_t next = k;
    while (next < joints.size() && origin(next) == origin(k)) ++next;
    if (next < joints.size()) bone = glm::normalize(origin(next) - origin(k));
    const glm::dmat3 frame(own.joints_at_rest[mos_joint(joints.item(k), own)]);
    if (glm::distance(glm::normalize(frame * read_vector(axes.item(k))), bone) > 1e-5) return false;
  }
  return true;
}

bool slides_along_own_bone(const Node& op, const Node& points) {
  if (op.at("op").text() != "slide") return true;
  const Node joints = points.at("joint");
  const std::vector<std::uint32_t> moved = op.at("points").each([&](const Node& p) { return p.index(joints.size()); });
  return std::ranges::all_of(moved, [&](std::uint32_t p) { return joints.item(p).number() == op.at("bone").number(); });
}

void read_mos_settings(const Node& set, const Node& root, const Case& own, Variant& variant) {
  MosParameters mos;
  const std::string strategy = set.at("strategy").text();
  if (strategy == "bspline") {
    mos.strategy = MosStrategy::kBSpline;
  } else if (strategy == "inverseDistance") {
    mos.strategy = MosStrategy::kInverseDistance;
  } else if (strategy == "rbf") {
    mos.strategy = MosStrategy::kRadialBasis;
  } else {
    variant.unsupported = "strategy " + strategy;
    return;
  }
  mos.automatic = false;
  mos.clamp_ends = set.at("clampEnds").flag();
  mos.twist = set.at("twist_angles").flag();
  mos.frames = set.at("relative_frames").flag() ? MosFrames::kRelative : MosFrames::kJoint;
  mos.exact_normals = false;  // the reference's are those of the blended frame
  mos.power = static_cast<float>(set.at("power").number());
  mos.nearest = set.at("K").is_null() ? 0 : static_cast<std::uint32_t>(set.at("K").number());
  mos.cut = read_cut(set.at("cut"));
  mos.kernel = read_name<MosKernel>(set.at("kernel"),
                                    {{"biharmonic", MosKernel::kBiharmonic}, {"gaussian", MosKernel::kGaussian}});
  if (!set.at("width").is_null()) mos.width = static_cast<float>(set.at("width").number());
  const Node points = root.at("control_points");
  MosChain& chain = mos.chains.emplace_back();
  chain.name = "chain";
  for (std::size_t k = 0; k < points.at("joint").size(); ++k) {
    const std::uint32_t joint = mos_joint(points.at("joint").item(k), own);
    const glm::dvec3 position = read_vector(points.at("position").item(k));
    chain.points.push_back({fmt::format("point{}", k), joint_name(joint),
                            glm::vec3(position - glm::dvec3(own.joints_at_rest[joint][3])), false});
  }
  if (mos.twist && !twists_about_bones(points, own)) variant.unsupported = "twists about other axes than the bones'";
  const Node ops = set.at("ops");
  for (std::size_t k = 0; k < ops.size(); ++k) {
    mos.edits.push_back(read_op(ops.item(k), own));
    if (!slides_along_own_bone(ops.item(k), points)) variant.unsupported = "a slide along the bone of another joint";
  }
  variant.rig.layers = {skin_layer(std::move(mos))};
}

// Reads entries [i, j, ...] of a level's control vertices: their number, and what read(entry) makes of the rest.
template <class Read>
auto read_control(const Node& entries, glm::uvec2 shape, const Read& read) {
  return entries.each([&](const Node& entry) {
    return read(entry, entry.item(0).index(shape.x) * shape.y + entry.item(1).index(shape.y));
  });
}

void read_surface(const Node& surface, const Case& own, Variant& variant) {
  HierarchicalBsplineParameters parameters;
  surface.at("shape").expect_size(2);
  surface.at("closed").expect_size(2);
  for (std::size_t d = 0; d < 2; ++d) parameters.shape[d] = surface.at("shape").item(d).index(1u << 12);
  parameters.closed_u = surface.at("closed").item(0).flag();
  parameters.closed_v = surface.at("closed").item(1).flag();
  parameters.control = narrowed(surface.at("base").each(read_vector));
  const Node attach = surface.at("attach");
  const Node offsets = surface.at("offsets");
  glm::uvec2 shape(parameters.shape[0], parameters.shape[1]);
  for (std::size_t l = 0; l < std::max(attach.size(), offsets.size() + 1); ++l) {
    SurfaceLevel& level = parameters.levels.emplace_back();
    if (l > 0) {
      shape = glm::uvec2(2) * shape -
              glm::uvec2(parameters.closed_u ? 0u : 3u, parameters.closed_v ? 0u : 3u);
    }
    if (l > 0 && l <= offsets.size()) {
      level.offsets = read_control(offsets.item(l - 1), shape, [](const Node& entry, std::uint32_t vertex) {
        return VertexOffset{vertex, glm::vec3(entry.item(2).number(), entry.item(3).number(), entry.item(4).number())};
      });
    }
    if (l >= attach.size()) continue;
    level.attach = read_control(attach.item(l), shape, [&](const Node& entry, std::uint32_t vertex) {
      return SurfaceAttachment{.joint = joint_name(entry.item(2).index(own.joints_at_rest.size())),
                               .vertices = {{vertex, vertex}}};
    });
  }
  parameters.places = SurfacePlaces::kTextureCoordinates;
  parameters.frames_per_span = 0;
  variant.rig.layers = {skin_layer(std::move(parameters))};
}

// Reads the parameters of the skin's vertices on the finest level, as texture coordinates.
std::vector<glm::vec2> read_places(const Node& root) {
  const Node surface = root.at("surface");
  const std::size_t finest = std::max(surface.at("attach").size(), surface.at("offsets").size() + 1) - 1;
  const double refined = std::exp2(static_cast<double>(finest));
  glm::dvec2 spans;
  for (int d = 0; d < 2; ++d) {
    const auto k = static_cast<std::size_t>(d);
    spans[d] = refined * (surface.at("shape").item(k).number() - (surface.at("closed").item(k).flag() ? 0 : 3));
  }
  return root.at("bind").at("uv_finest").each([&](const Node& uv) {
    uv.expect_size(2);
    return glm::vec2(glm::dvec2(uv.item(0).number(), uv.item(1).number()) / spans);
  });
}

Answer read_answer(const Node& node, const Case& own) {
  const std::string name = node.at("pose").text();
  const auto pose =
      std::find_if(own.poses.begin(), own.poses.end(), [&](const CasePose& known) { return known.name == name; });
  if (pose == own.poses.end()) node.at("pose").refuse(fmt::format("there is no pose '{}'", name));
  const std::size_t vertex_count = own.skin.positions.size();
  Answer answer;
  answer.pose = static_cast<std::size_t>(pose - own.poses.begin());
  answer.positions = node.at("positions").each(read_vector);
  node.at("positions").expect_size(vertex_count);
  if (node.has("normals")) {
    answer.normals = node.at("normals").each(read_vector);
    node.at("normals").expect_size(vertex_count);
  }
  answer.skip.assign(vertex_count, false);
  if (node.has("skip")) {
    const Node skip = node.at("skip");
    if (name == "bind" && skip.size() > 0) skip.refuse("nothing is skipped at bind");
    for (const std::uint32_t vertex : skip.each([&](const Node& entry) { return entry.index(vertex_count); })) {
      answer.skip[vertex] = true;
    }
  }
  return answer;
}

// Reads one number a joint; for several chains one list each, of its joints in order.
void read_twists(const Node& node, const Node& root, const Case& own, CasePose& pose) {
  const std::uint32_t first = own.system == "mos" ? 1 : 0;
  const auto add = [&](std::uint32_t joint, const Node& twist) {
    const std::string name = "twist/" + joint_name(joint);
    const auto known = [&](const auto& control) { return control.first == name; };
    if (std::ranges::none_of(pose.controls, known))
      pose.controls.emplace_back(name, static_cast<float>(twist.number()));
  };
  if (node.size() > 0 && node.item(0).is_array()) {
    const auto chains = read_chains(root, own.joints_at_rest.size());
    node.expect_size(chains.size());
    for (std::size_t c = 0; c < chains.size(); ++c) {
      node.item(c).expect_size(chains[c].size());
      for (std::size_t i = 0; i < chains[c].size(); ++i) add(chains[c][i], node.item(c).item(i));
    }
    return;
  }
  node.expect_size(own.joints_at_rest.size() - 2 * first);
  for (std::uint32_t j = 0; j < node.size(); ++j) add(first + j, node.item(j));
}

// Returns true if the joints of a system's skeleton pose its cases.
bool has_joints(const std::string& system) {
  return system == "linear_blend" || system == "curve_skeleton" || system == "mos" || system == "hierarchical_bspline";
}

CasePose read_pose(const Node& node, const Node& root, const Case& own) {
  CasePose pose;
  pose.name = node.at("name").text();
  const auto read_positions = [&](const Node& positions, std::size_t count) {
    positions.expect_size(count);
    pose.driver_positions.push_back(positions.each(read_vector));
  };
  if (has_joints(own.system)) {
    const bool is_mos = own.system == "mos";
    node.at("joints").expect_size(own.joints_at_rest.size() - (is_mos ? 2 : 0));
    pose.joints = node.at("joints").each(read_frame);
    if (is_mos) {
      pose.joints.insert(pose.joints.begin(), glm::dmat4(1.0));
      const glm::dmat4 turned(glm::dvec4(0, 1, 0, 0), glm::dvec4(-1, 0, 0, 0), glm::dvec4(0, 0, 1, 0),
                              glm::dvec4(0, 0, 0, 1));
      pose.joints.push_back(pose.name == "bind" ? glm::dmat4(1.0) : turned);
    }
    if (node.has("twist")) read_twists(node.at("twist"), root, own, pose);
  } else if (own.system == "surface_ffd") {
    read_positions(node.at("driver_positions"), own.drivers[0].positions.size());
    if (node.has("driver_transforms")) {
      node.at("driver_transforms").expect_size(own.drivers[0].positions.size());
      pose.driver_transforms = node.at("driver_transforms").each(read_frame);
    }
  } else if (own.system == "surface_ffd_patch") {
    read_positions(node.at("control"), own.control_count);
  } else {
    const Node all = node.at(node.has("drivers") ? "drivers" : "driver_positions");
    all.expect_size(own.drivers.size());
    for (std::size_t d = 0; d < own.drivers.size(); ++d) {
      read_positions(all.item(d), own.drivers[d].positions.size());
    }
  }
  return pose;
}

Variant read_variant(const Node& result, const Node& root, const Case& own) {
  Variant variant;
  variant.name = result.at("variant").text();
  const Node set = result.at("set");
  if (own.system == "linear_blend") {
    read_linear_blend_settings(set, variant);
  } else if (own.system == "surface_ffd") {
    read_surface_ffd_settings(set, own, variant);
  } else if (own.system == "surface_ffd_patch") {
    read_patch_settings(set, root.at("patch"), variant);
  } else if (own.system == "combine") {
    read_combine_settings(set, root.at("bind").at("each"), own, variant);
  } else if (own.system == "curve_skeleton") {
    read_curve_settings(set, root, own, variant);
  } else if (own.system == "mos") {
    read_mos_settings(set, root, own, variant);
  } else if (own.system == "hierarchical_bspline") {
    read_surface(root.at("surface"), own, variant);
  } else {
    variant.unsupported = "system " + own.system;
  }
  if (!variant.unsupported.empty()) return variant;
  variant.answers = result.at("poses").each([&](const Node& node) { return read_answer(node, own); });
  if (variant.answers.empty()) result.at("poses").refuse("is empty");
  for (const Answer& answer : variant.answers) {
    if (variant.follows_transforms &&
        own.poses[answer.pose].driver_transforms.size() != own.drivers[0].positions.size()) {
      result.refuse(fmt::format("pose '{}' has no driver_transforms", own.poses[answer.pose].name));
    }
  }
  return variant;
}

// Returns true if this program can read more of a case than the names of its variants.
bool is_known(const std::string& system) {
  return has_joints(system) || system == "surface_ffd" || system == "surface_ffd_patch" || system == "combine";
}

void read_joints(const Node& skeleton, Case& own) {
  own.joints_at_rest = skeleton.at("rest").each(read_frame);
  own.parents = read_parents(skeleton.at("parents"), own.joints_at_rest.size());
  if (own.system != "mos") return;
  for (std::int32_t& parent : own.parents) ++parent;  // the parent of a root is the world
  own.parents.insert(own.parents.begin(), -1);
  own.parents.push_back(0);
  own.joints_at_rest.insert(own.joints_at_rest.begin(), glm::dmat4(1.0));
  own.joints_at_rest.push_back(glm::dmat4(1.0));
}

Case read_case(const Node& root) {
  if (root.at("format").text() != "pelt-cases 1") root.at("format").refuse("must be \"pelt-cases 1\"");
  Case own;
  own.name = root.at("name").text();
  own.system = root.at("system").text();
  const Node results = root.at("results");
  if (results.size() == 0) results.refuse("is empty");
  if (is_known(own.system)) {
    own.skin = read_skin(root.at("skin"));
    if (own.system == "linear_blend") {
      read_joints(root.at("skeleton"), own);
      own.skin.weights =
          read_weights(root.at("bind").at("weights"), own.skin.positions.size(), own.joints_at_rest.size());
    } else if (has_joints(own.system)) {
      read_joints(root.at("skeleton"), own);
      if (own.system == "hierarchical_bspline") own.skin.uvs = read_places(root);
    } else if (own.system == "surface_ffd") {
      own.drivers = {read_driver(root.at("driver"), 0)};
    } else if (own.system == "surface_ffd_patch") {
      own.control_count = root.at("patch").at("control").size();
    } else {
      const Node drivers = root.at("drivers");
      for (std::size_t d = 0; d < drivers.size(); ++d) own.drivers.push_back(read_driver(drivers.item(d), d));
    }
    own.poses = root.at("poses").each([&](const Node& node) { return read_pose(node, root, own); });
    if (own.poses.empty() || own.poses[0].name != "bind") root.at("poses").refuse("must begin with 'bind'");
  }
  own.variants = results.each([&](const Node& result) { return read_variant(result, root, own); });
  return own;
}

}  // namespace

std::vector<std::size_t> depths(std::span<const std::int32_t> parents) {
  std::vector<std::size_t> result(parents.size(), 0);
  for (std::size_t j = 0; j < parents.size(); ++j) {
    for (std::int32_t up = parents[j]; up >= 0; up = parents[static_cast<std::size_t>(up)]) ++result[j];
  }
  return result;
}

Result<Case> load_case(const std::filesystem::path& path) {
  const auto bytes = read_file(path, std::uint64_t{1} << 28);
  if (!bytes) return tl::unexpected(bytes.error());
  try {
    const char* text = reinterpret_cast<const char*>(bytes->data());
    const Json json = Json::parse(text, text + bytes->size());
    return read_case(Node(json, ""));
  } catch (const Malformed& malformed) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", path.string(), malformed.what));
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace pelt::conformance
