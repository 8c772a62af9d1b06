// SPDX-License-Identifier: MIT
#include "tests/conformance/case_settings.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <pelt/curve_skeleton.h>
#include <pelt/dual_quaternion.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/linear_blend.h>
#include <pelt/mos.h>
#include <pelt/surface_ffd.h>

namespace pelt::conformance {

std::string joint_name(std::uint32_t joint) { return fmt::format("joint{}", joint); }

namespace {

// Tables are sampled so finely that their error is half of the tolerance of known answers.
constexpr float kTableError = 5e-5f;

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

void read_exclusions(const Node& set, const Case& test_case, Rig& rig) {
  if (!set.has("exclude")) return;
  const Node exclude = set.at("exclude");
  for (std::size_t i = 0; i < exclude.size(); ++i) {
    add_exclusion(read_indices(exclude.item(i).at("elements"), test_case.drivers[0].triangles.size()),
                  read_indices(exclude.item(i).at("vertices"), test_case.skin.positions.size()), rig);
  }
}

// Reads the parameters that every kind of surface FFD has.
SurfaceFfdParameters read_weighting(const Node& set) {
  SurfaceFfdParameters ffd;
  ffd.exact_normals = ExactNormals::kNone;  // the reference's normals are those of the blended frame
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
  ffd.raise_elements = false;  // keeps K as the case sets it
  ffd.influences = 0;
  ffd.precision = Precision::kNone;
  ffd.weight_similarity = 0;
  ffd.fade = 0;
  ffd.driver.follow = Follow::kStreamed;
  return ffd;
}

Layer skin_layer(DeformerParameters deformer) { return {.target = "skin", .deformer = std::move(deformer)}; }

void read_surface_ffd_settings(const Node& set, const Case& test_case, Variant& variant) {
  SurfaceFfdParameters ffd = read_weighting(set);
  ffd.driver.mesh = test_case.drivers[0].name;
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
  read_exclusions(set, test_case, variant.rig);
}

std::vector<float> read_numbers(const Node& node) {
  return node.each([](const Node& number) { return static_cast<float>(number.number()); });
}

void read_patch_settings(const Node& set, const Node& patch, Variant& variant) {
  constexpr std::size_t kMax = 1u << 16u;
  SurfaceFfdParameters ffd = read_weighting(set);
  if (set.at("unit").is_string()) ffd.distance_unit.reset();
  PatchParameters parameters;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    parameters.shape[axis] = patch.at("shape").item(axis).index(kMax);
    parameters.degree[axis] = patch.at("degree").item(axis).index(kMax);
  }
  parameters.knots_u = read_numbers(patch.at("knots_u"));
  parameters.knots_v = read_numbers(patch.at("knots_v"));
  parameters.control = narrowed(patch.at("control").each(read_vector));
  if (patch.has("weights")) parameters.weights = read_numbers(patch.at("weights"));
  ffd.driver.patches = {std::move(parameters)};
  variant.rig.layers = {skin_layer(std::move(ffd))};
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

// Reads a length of a joint; those of all joints may be null.
std::optional<float> read_length(const Node& bind, const char* key, std::size_t i) {
  if (!bind.has(key)) return std::nullopt;
  const Node entry = bind.at(key).item(i);
  if (entry.is_null()) return std::nullopt;
  return static_cast<float>(entry.number());
}

std::vector<CurveKey> read_twist_keys(const Node& keys) {
  return keys.each([](const Node& key) {
    key.expect_size(2);
    return CurveKey{static_cast<float>(key.item(0).number()), static_cast<float>(key.item(1).number())};
  });
}

void read_curve_settings(const Node& set, const Node& root, const Case& test_case, Variant& variant) {
  if (set.at("knots").text() != "uniform" || set.at("parameter").text() != "arc") {
    variant.unsupported = fmt::format("{} knots, parameter {}", set.at("knots").text(), set.at("parameter").text());
    return;
  }
  const Node bind = root.at("bind");
  CurveSkeletonParameters curves;
  curves.table_error = kTableError;
  curves.automatic = false;
  curves.frames = read_name<CurveFrames>(set.at("frames"),
                                         {{"endpoint", CurveFrames::kEndpoint}, {"tangent", CurveFrames::kTangent}});
  curves.reference = read_name<CurveReference>(
      set.at("zref"), {{"joint", CurveReference::kJoint}, {"half", CurveReference::kHalfSwing}});
  curves.centre = static_cast<float>(set.at("centre").number());
  curves.float_margin = 1;
  curves.bulge.volume = 0;
  CurvePath& path = curves.curves.emplace_back();
  path.name = "curve";
  for (const std::uint32_t joint :
       root.at("chain").each([&](const Node& node) { return node.index(test_case.joints_at_rest.size()); })) {
    path.joints.push_back(joint_name(joint));
  }
  for (std::size_t i = 1; i + 1 < path.joints.size(); ++i) {  // entries of the end joints are unused
    CurveJoint& joint = curves.joints.emplace_back();
    joint.joint = path.joints[i];
    if (const auto f = read_length(bind, "f", i)) joint.float_distance = {{0, *f}};
    joint.skin_distance = read_length(bind, "d", i);
    joint.float_min = read_length(bind, "f_min", i);
    joint.float_max = read_length(bind, "f_max", i);
    joint.twist_after = 0.0f;  // theta accumulates in the bones before the joints
  }
  const std::size_t distributed = set.has("distribution") ? set.at("distribution").size() : 0;
  for (std::size_t i = 0; i + 1 < path.joints.size() && i < distributed; ++i) {
    const Node keys = set.at("distribution").item(i);
    if (!keys.is_null()) curves.bones.push_back({path.joints[i], path.joints[i + 1], read_twist_keys(keys), false});
  }
  variant.rig.layers = {skin_layer(std::move(curves))};
}

std::vector<std::string> read_op_points(const Node& op) {
  return op.at("points").each([](const Node& point) { return fmt::format("point{}", point.index(1u << 20)); });
}

// Reads an operation. Operations apply in every pose but "bind": the last joint of the case drives them.
MosEdit read_op(const Node& op, const Case& test_case) {
  MosEdit edit;
  edit.driver = KeyAngle{joint_name(static_cast<std::uint32_t>(test_case.joints_at_rest.size()) - 1), {0, 0, 1}};
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
std::uint32_t mos_joint(const Node& node, const Case& test_case) {
  return 1 + node.index(test_case.joints_at_rest.size() - 2);
}

// Returns true if points twist about the bone that leaves their joint along the chain (points of its last joint: about
// the bone before).
bool twists_about_bones(const Node& points, const Case& test_case) {
  const Node joints = points.at("joint");
  const Node axes = points.at("twist_axis_local");
  axes.expect_size(joints.size());
  const auto origin = [&](std::size_t k) {
    return glm::dvec3(test_case.joints_at_rest[mos_joint(joints.item(k), test_case)][3]);
  };
  glm::dvec3 bone(0.0);  // bone of the points from k on that have one joint
  for (std::size_t k = 0; k < joints.size(); ++k) {
    std::size_t next = k;
    while (next < joints.size() && origin(next) == origin(k)) ++next;
    if (next < joints.size()) bone = glm::normalize(origin(next) - origin(k));
    const glm::dmat3 frame(test_case.joints_at_rest[mos_joint(joints.item(k), test_case)]);
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

void read_mos_settings(const Node& set, const Node& root, const Case& test_case, Variant& variant) {
  MosParameters mos;
  mos.table_error = kTableError;
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
  // Else the reference's normals are those of the blended frame.
  mos.exact_normals = set.has("exact_normals") && set.at("exact_normals").flag();
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
    const std::uint32_t joint = mos_joint(points.at("joint").item(k), test_case);
    const glm::dvec3 position = read_vector(points.at("position").item(k));
    chain.points.push_back({fmt::format("point{}", k), joint_name(joint),
                            glm::vec3(position - glm::dvec3(test_case.joints_at_rest[joint][3])), false});
  }
  if (mos.twist && !twists_about_bones(points, test_case))
    variant.unsupported = "twists about other axes than the bones'";
  const Node ops = set.at("ops");
  for (std::size_t k = 0; k < ops.size(); ++k) {
    mos.edits.push_back(read_op(ops.item(k), test_case));
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

void read_surface(const Node& surface, const Case& test_case, Variant& variant) {
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
      shape = glm::uvec2(2) * shape - glm::uvec2(parameters.closed_u ? 0u : 3u, parameters.closed_v ? 0u : 3u);
    }
    if (l > 0 && l <= offsets.size()) {
      level.offsets = read_control(offsets.item(l - 1), shape, [](const Node& entry, std::uint32_t vertex) {
        return VertexOffset{vertex, glm::vec3(entry.item(2).number(), entry.item(3).number(), entry.item(4).number())};
      });
    }
    if (l >= attach.size()) continue;
    level.attach = read_control(attach.item(l), shape, [&](const Node& entry, std::uint32_t vertex) {
      return SurfaceAttachment{.joint = joint_name(entry.item(2).index(test_case.joints_at_rest.size())),
                               .vertices = {{vertex, vertex}}};
    });
  }
  parameters.mapping = SurfaceMapping::kTextureCoordinates;
  parameters.frames_per_span = 0;
  variant.rig.layers = {skin_layer(std::move(parameters))};
}

}  // namespace

void read_settings(const Node& set, const Node& root, const Case& test_case, Variant& variant) {
  if (test_case.system == "linear_blend") {
    read_linear_blend_settings(set, variant);
  } else if (test_case.system == "surface_ffd") {
    read_surface_ffd_settings(set, test_case, variant);
  } else if (test_case.system == "surface_ffd_patch") {
    read_patch_settings(set, root.at("patch"), variant);
  } else if (test_case.system == "curve_skeleton") {
    read_curve_settings(set, root, test_case, variant);
  } else if (test_case.system == "mos") {
    read_mos_settings(set, root, test_case, variant);
  } else if (test_case.system == "hierarchical_bspline") {
    read_surface(root.at("surface"), test_case, variant);
  } else {
    variant.unsupported = "system " + test_case.system;
  }
}

}  // namespace pelt::conformance
