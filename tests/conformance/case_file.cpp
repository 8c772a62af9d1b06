// SPDX-License-Identifier: MIT
#include "tests/conformance/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/core/file_io.h"

namespace pelt::conformance {
namespace {

using Json = nlohmann::json;

// Thrown and caught in this file alone.
struct Malformed {
  std::string what;
};

// A value and where it stands; every access checks what it finds.
class Node {
 public:
  Node(const Json& json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw Malformed{fmt::format("{}: {}", pointer_.empty() ? "/" : pointer_, what)};
  }

  bool has(const char* key) const { return json_.is_object() && json_.contains(key) && !json_.at(key).is_null(); }
  bool is_null() const { return json_.is_null(); }
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

  // Within what a float can hold.
  double number() const {
    if (!json_.is_number()) refuse("must be a number");
    const double value = json_.get<double>();
    if (std::abs(value) > std::numeric_limits<float>::max()) refuse("is too large");
    return value;
  }

  // In [0, end).
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

// 12 numbers, a 3x4 matrix row by row.
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

// Each vertex follows a joint of its own, so that poses can put it anywhere.
Mesh read_driver(const Node& node) {
  Mesh mesh;
  mesh.name = "driver";
  mesh.positions = narrowed(node.at("positions").each(read_vector));
  mesh.triangles = read_triangles(node.at("triangles"), mesh.positions.size());
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  mesh.parts = {{0, static_cast<std::uint32_t>(mesh.triangles.size()), -1}};
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) mesh.weights.append_row({{Influence{v, 1.0f}}});
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

Cut read_cut(const Node& node) {
  const std::string name = node.text();
  if (name == "hard") return Cut::kHard;
  if (name == "continuous") return Cut::kContinuous;
  node.refuse("must be hard or continuous");
}

void read_surface_ffd_settings(const Node& set, Variant& variant) {
  SurfaceFfdParameters ffd;
  const std::string mode = set.at("mode").text();
  if (mode == "basic") {
    ffd.mode = SurfaceFfdParameters::Mode::kBasic;
  } else if (mode == "extended") {
    ffd.mode = SurfaceFfdParameters::Mode::kExtended;
  } else {
    variant.unsupported = "mode " + mode;
    return;
  }
  if (set.has("exclude") && set.at("exclude").size() > 0) variant.unsupported = "exclusions";
  if (set.has("use_hops") && set.at("use_hops").flag()) variant.unsupported = "hops";
  if (!variant.unsupported.empty()) return;
  ffd.local = static_cast<float>(set.at("local").number());
  if (const Node unit = set.at("unit"); !unit.is_string()) {
    ffd.distance_unit = static_cast<float>(unit.number());
  } else if (unit.text() != "auto") {
    unit.refuse("must be a number or auto");
  }
  if (const Node k = set.at("K"); k.is_null()) {
    ffd.elements = 0;
  } else {
    ffd.elements = k.index(std::numeric_limits<std::uint32_t>::max());
    if (ffd.elements == 0) k.refuse("must be at least 1, or null");
  }
  ffd.cut = read_cut(set.at("cut"));
  ffd.raise_elements = false;  // K is used as it is
  ffd.driver.mesh = "driver";
  ffd.driver.follow = Follow::kLinearBlend;
  variant.deformer = ffd;
}

void read_linear_blend_settings(const Node& set, Variant& variant) {
  const std::string method = set.at("method").text();
  if (method == "linear_blend") {
    variant.deformer = LinearBlendParameters{};
  } else if (method == "dual_quaternion") {
    variant.deformer = DualQuaternionParameters{};
  } else {
    variant.unsupported = "method " + method;
  }
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

CasePose read_pose(const Node& node, const Case& own) {
  CasePose pose;
  pose.name = node.at("name").text();
  if (own.system == "linear_blend") {
    node.at("joints").expect_size(own.joints_at_rest.size());
    pose.joints = node.at("joints").each(read_frame);
  } else {
    node.at("driver_positions").expect_size(own.driver.positions.size());
    pose.driver_positions = node.at("driver_positions").each(read_vector);
    if (node.has("driver_transforms")) {
      node.at("driver_transforms").expect_size(own.driver.positions.size());
      pose.driver_transforms = node.at("driver_transforms").each(read_frame);
    }
  }
  return pose;
}

Case read_case(const Node& root) {
  if (root.at("format").text() != "pelt-cases 1") root.at("format").refuse("must be \"pelt-cases 1\"");
  Case own;
  own.name = root.at("name").text();
  own.system = root.at("system").text();
  const Node results = root.at("results");
  if (results.size() == 0) results.refuse("is empty");
  if (own.system != "linear_blend" && own.system != "surface_ffd") {
    own.variants = results.each([&](const Node& result) {
      Variant variant;
      variant.name = result.at("variant").text();
      variant.unsupported = "system " + own.system;
      return variant;
    });
    return own;
  }

  own.skin = read_skin(root.at("skin"));
  if (own.system == "linear_blend") {
    own.joints_at_rest = root.at("skeleton").at("rest").each(read_frame);
    own.skin.weights =
        read_weights(root.at("bind").at("weights"), own.skin.positions.size(), own.joints_at_rest.size());
  } else {
    own.driver = read_driver(root.at("driver"));
  }
  own.poses = root.at("poses").each([&](const Node& node) { return read_pose(node, own); });
  own.variants = results.each([&](const Node& result) {
    Variant variant;
    variant.name = result.at("variant").text();
    if (own.system == "linear_blend") {
      read_linear_blend_settings(result.at("set"), variant);
    } else {
      read_surface_ffd_settings(result.at("set"), variant);
    }
    if (!variant.unsupported.empty()) return variant;
    variant.answers = result.at("poses").each([&](const Node& node) { return read_answer(node, own); });
    if (variant.answers.empty()) result.at("poses").refuse("is empty");
    const auto* ffd = std::get_if<SurfaceFfdParameters>(&variant.deformer);
    for (const Answer& answer : variant.answers) {
      if (ffd != nullptr && ffd->mode == SurfaceFfdParameters::Mode::kExtended &&
          own.poses[answer.pose].driver_transforms.size() != own.driver.positions.size()) {
        result.refuse(fmt::format("pose '{}' has no driver_transforms", own.poses[answer.pose].name));
      }
    }
    return variant;
  });
  return own;
}

}  // namespace

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
