// SPDX-License-Identifier: MIT
#include "tests/conformance/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "tests/conformance/case_node.h"
#include "tests/conformance/case_settings.h"

namespace pelt::conformance {
namespace {

// Reads the parent of every joint, which is a joint before it; -1: a root.
std::vector<std::int32_t> read_parents(const Node& node, std::size_t joint_count) {
  node.expect_size(joint_count);
  std::vector<std::int32_t> parents;
  for (std::size_t j = 0; j < joint_count; ++j) {
    const Node entry = node.item(j);
    parents.push_back(entry.number() == -1 ? -1 : static_cast<std::int32_t>(entry.index(j)));
  }
  return parents;
}

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

Mesh read_driver(const Node& node) {
  Mesh mesh;
  mesh.name = "driver";
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

Answer read_answer(const Node& node, const Case& test_case) {
  const std::string name = node.at("pose").text();
  const auto pose = std::find_if(test_case.poses.begin(), test_case.poses.end(),
                                 [&](const CasePose& known) { return known.name == name; });
  if (pose == test_case.poses.end()) node.at("pose").refuse(fmt::format("there is no pose '{}'", name));
  const std::size_t vertex_count = test_case.skin.positions.size();
  Answer answer;
  answer.pose = static_cast<std::size_t>(pose - test_case.poses.begin());
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

// Reads one number per joint.
void read_twists(const Node& node, const Case& test_case, CasePose& pose) {
  const std::uint32_t first = test_case.system == "mos" ? 1 : 0;
  node.expect_size(test_case.joints_at_rest.size() - 2 * first);
  for (std::uint32_t j = 0; j < node.size(); ++j)
    pose.controls.emplace_back("twist/" + joint_name(first + j), static_cast<float>(node.item(j).number()));
}

// Returns true if the joints of a system's skeleton pose its cases.
bool has_joints(const std::string& system) {
  return system == "linear_blend" || system == "curve_skeleton" || system == "mos" || system == "hierarchical_bspline";
}

CasePose read_pose(const Node& node, const Case& test_case) {
  CasePose pose;
  pose.name = node.at("name").text();
  const auto read_positions = [&](const Node& positions, std::size_t count) {
    positions.expect_size(count);
    pose.driver_positions.push_back(positions.each(read_vector));
  };
  if (has_joints(test_case.system)) {
    const bool is_mos = test_case.system == "mos";
    node.at("joints").expect_size(test_case.joints_at_rest.size() - (is_mos ? 2 : 0));
    pose.joints = node.at("joints").each(read_frame);
    if (is_mos) {
      pose.joints.insert(pose.joints.begin(), glm::dmat4(1.0));
      const glm::dmat4 turned(glm::dvec4(0, 1, 0, 0), glm::dvec4(-1, 0, 0, 0), glm::dvec4(0, 0, 1, 0),
                              glm::dvec4(0, 0, 0, 1));
      pose.joints.push_back(pose.name == "bind" ? glm::dmat4(1.0) : turned);
    }
    if (node.has("twist")) read_twists(node.at("twist"), test_case, pose);
  } else if (test_case.system == "surface_ffd") {
    read_positions(node.at("driver_positions"), test_case.drivers[0].positions.size());
    if (node.has("driver_transforms")) {
      node.at("driver_transforms").expect_size(test_case.drivers[0].positions.size());
      pose.driver_transforms = node.at("driver_transforms").each(read_frame);
    }
  } else {
    read_positions(node.at("control"), test_case.control_count);
  }
  return pose;
}

Variant read_variant(const Node& result, const Node& root, const Case& test_case) {
  Variant variant;
  variant.name = result.at("variant").text();
  read_settings(result.at("set"), root, test_case, variant);
  if (!variant.unsupported.empty()) return variant;
  variant.answers = result.at("poses").each([&](const Node& node) { return read_answer(node, test_case); });
  if (variant.answers.empty()) result.at("poses").refuse("is empty");
  for (const Answer& answer : variant.answers) {
    if (variant.follows_transforms &&
        test_case.poses[answer.pose].driver_transforms.size() != test_case.drivers[0].positions.size()) {
      result.refuse(fmt::format("pose '{}' has no driver_transforms", test_case.poses[answer.pose].name));
    }
  }
  return variant;
}

// Returns true if this program can read more of a case than the names of its variants.
bool is_known(const std::string& system) {
  return has_joints(system) || system == "surface_ffd" || system == "surface_ffd_patch";
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

void read_joints(const Node& skeleton, Case& test_case) {
  test_case.joints_at_rest = skeleton.at("rest").each(read_frame);
  test_case.parents = read_parents(skeleton.at("parents"), test_case.joints_at_rest.size());
  if (test_case.system != "mos") return;
  for (std::int32_t& parent : test_case.parents) ++parent;  // the parent of a root is the world
  test_case.parents.insert(test_case.parents.begin(), -1);
  test_case.parents.push_back(0);
  test_case.joints_at_rest.insert(test_case.joints_at_rest.begin(), glm::dmat4(1.0));
  test_case.joints_at_rest.push_back(glm::dmat4(1.0));
}

Case read_case(const Node& root) {
  if (root.at("format").text() != "pelt-cases 1") root.at("format").refuse("must be \"pelt-cases 1\"");
  Case test_case;
  test_case.name = root.at("name").text();
  test_case.system = root.at("system").text();
  const Node results = root.at("results");
  if (results.size() == 0) results.refuse("is empty");
  if (is_known(test_case.system)) {
    test_case.skin = read_skin(root.at("skin"));
    if (test_case.system == "linear_blend") {
      read_joints(root.at("skeleton"), test_case);
      test_case.skin.weights =
          read_weights(root.at("bind").at("weights"), test_case.skin.positions.size(), test_case.joints_at_rest.size());
    } else if (has_joints(test_case.system)) {
      read_joints(root.at("skeleton"), test_case);
      if (test_case.system == "hierarchical_bspline") test_case.skin.uvs = read_places(root);
    } else if (test_case.system == "surface_ffd") {
      test_case.drivers = {read_driver(root.at("driver"))};
    } else {
      test_case.control_count = root.at("patch").at("control").size();
    }
    test_case.poses = root.at("poses").each([&](const Node& node) { return read_pose(node, test_case); });
    if (test_case.poses.empty() || test_case.poses[0].name != "bind") root.at("poses").refuse("must begin with 'bind'");
  }
  test_case.variants = results.each([&](const Node& result) { return read_variant(result, root, test_case); });
  return test_case;
}

}  // namespace

Result<Case> load_case(const std::filesystem::path& path) {
  PELT_ASSIGN(const auto bytes, read_file(path, std::uint64_t{1} << 28));
  try {
    const char* text = reinterpret_cast<const char*>(bytes.data());
    const Json json = Json::parse(text, text + bytes.size());
    return read_case(Node(json, ""));
  } catch (const Malformed& malformed) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", path.string(), malformed.what));
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace pelt::conformance
