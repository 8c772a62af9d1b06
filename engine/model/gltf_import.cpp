// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <glm/gtc/matrix_inverse.hpp>
#include <glm/gtc/quaternion.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "engine/model/gltf_accessor.h"
#include "engine/model/gltf_check.h"
#include "engine/model/gltf_document.h"
#include "engine/model/import.h"

namespace pelt {
namespace {

// A node may show a mesh that others show, and a channel may use another's sampler: what they all become is bounded
// here, since the size of the file does not bound it.
class Budget {
 public:
  bool take(std::uint64_t bytes) {
    taken_ += std::min(bytes, kMost + 1);
    return taken_ <= kMost;
  }
  static constexpr std::uint64_t kMost = std::uint64_t{256} << 20;

 private:
  std::uint64_t taken_ = 0;
};

// Hands out names, each once: "arm", "arm#2", "arm#3".
class UniqueNames {
 public:
  std::string claim(const std::string& name) {
    std::uint32_t& uses = uses_.try_emplace(name, 1).first->second;
    std::string candidate = name;
    while (!claimed_.insert(candidate).second) candidate = fmt::format("{}#{}", name, ++uses);
    return candidate;
  }

 private:
  std::unordered_set<std::string> claimed_;
  std::unordered_map<std::string, std::uint32_t> uses_;
};

bool is_finite(const glm::dmat4& m) {
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 4; ++r) {
      // As a float, since that is what is made of it.
      if (!(std::abs(m[c][r]) <= std::numeric_limits<float>::max())) return false;
    }
  }
  return true;
}

// Whether the inverse of an affine matrix has a meaning in floats.
bool is_invertible(const glm::dmat4& m) {
  const glm::dmat3 axes(m);
  const double lengths = glm::length(axes[0]) * glm::length(axes[1]) * glm::length(axes[2]);
  return is_finite(m) && lengths > 0 && std::abs(glm::determinant(axes)) > 1e-9 * lengths &&
         is_finite(glm::affineInverse(m));
}

glm::dvec3 transform(const glm::dmat4& m, const glm::dvec3& point) { return glm::dvec3(m * glm::dvec4(point, 1.0)); }

glm::dmat4 to_matrix(const Transform& transform) {
  glm::dmat4 matrix = glm::mat4_cast(glm::normalize(glm::dquat(transform.rotation)));
  for (int axis = 0; axis < 3; ++axis) matrix[axis] *= static_cast<double>(transform.scale[axis]);
  matrix[3] = glm::dvec4(transform.translation, 1.0);
  return matrix;
}

// The translation, rotation and scale that give `matrix`, where there are such.
std::optional<Transform> decompose(const glm::dmat4& matrix) {
  glm::dmat3 axes(matrix);
  glm::dvec3 scale(glm::length(axes[0]), glm::length(axes[1]), glm::length(axes[2]));
  if (!(std::min({scale.x, scale.y, scale.z}) > 0)) return std::nullopt;
  if (glm::determinant(axes) < 0) scale.x = -scale.x;
  for (int axis = 0; axis < 3; ++axis) axes[axis] /= scale[axis];
  const Transform result{.translation = glm::vec3(matrix[3]),
                         .rotation = glm::quat(glm::normalize(glm::quat_cast(axes))),
                         .scale = glm::vec3(scale)};
  // Files hold about six digits, and a matrix with a shear of that size has none to speak of.
  constexpr double kTolerance = 1e-5;
  const glm::dmat4 recomposed = to_matrix(result);
  for (int axis = 0; axis < 3; ++axis) {
    const double length = std::abs(scale[axis]);
    if (glm::length(glm::dvec3(recomposed[axis] - matrix[axis])) > kTolerance * length) return std::nullopt;
  }
  return result;
}

// Any unit vector orthogonal to the unit vector n.
glm::vec3 perpendicular(const glm::vec3& n) {
  const glm::vec3 axis = std::abs(n.x) < 0.7f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
  return glm::normalize(glm::cross(axis, n));
}

// A skin of the file, or, for a mesh without one, its node as the only joint.
struct Skin {
  std::vector<std::uint32_t> joints;  // in the skeleton
  std::vector<glm::dmat4> inverse_binds;
  std::vector<double> weights;  // of each joint, summed over all vertices that the skin moves
  double extent = 0;            // largest coordinate of these vertices
  bool rigid = false;
  glm::dmat4 model_from_mesh{1.0};
  std::vector<std::uint32_t> bound_joints;  // in the model, of each joint
};

// How a joint was bound by the first skin that names it.
struct Bind {
  glm::dmat4 inverse_bind;
  glm::dmat4 model_from_mesh;
};

class Importer {
 public:
  Importer(const GltfDocument& document, NodeTree tree) : document_(document), tree_(std::move(tree)) {}

  Result<Model> run() {
    model_.name = std::filesystem::path(document_.source).filename().string();
    auto done = add_joints();
    if (done) done = add_skins();
    if (done) add_materials();
    if (done) done = add_meshes();
    if (done) done = bring_to_model_space();
    if (done) done = add_clips();
    if (!done) return tl::unexpected(done.error());
    return std::move(model_);
  }

 private:
  // ---- Skeleton

  Result<void> add_joints() {
    const std::vector<tinygltf::Node>& nodes = document_.gltf.nodes;
    joint_of_node_.resize(nodes.size());
    UniqueNames names;
    for (const int index : tree_.order) {
      const auto i = static_cast<std::size_t>(index);
      const tinygltf::Node& node = nodes[i];
      joint_of_node_[i] = static_cast<std::uint32_t>(model_.skeleton.joints.size());
      Joint joint;
      joint.name = names.claim(node.name.empty() ? fmt::format("node_{}", i) : node.name);
      const int parent = tree_.parents[i];
      if (parent >= 0) joint.parent = static_cast<std::int32_t>(joint_of_node_[static_cast<std::size_t>(parent)]);
      if (auto set = set_rest(joint, node, fmt::format("/nodes/{}", i)); !set) return set;

      const glm::dmat4 local = joint.matrix ? glm::dmat4(*joint.matrix) : to_matrix(joint.rest);
      local_rests_.push_back(local);
      rests_.push_back(joint.parent < 0 ? local : rests_[static_cast<std::size_t>(joint.parent)] * local);
      if (!is_finite(rests_.back())) {
        return fail_at(document_, fmt::format("/nodes/{}", i), "its place in the model does not fit single precision");
      }
      model_.skeleton.joints.push_back(std::move(joint));
    }
    return {};
  }

  Result<void> set_rest(Joint& joint, const tinygltf::Node& node, const std::string& place) {
    if (!node.matrix.empty()) {
      glm::dmat4 matrix;
      for (int c = 0; c < 16; ++c) matrix[c / 4][c % 4] = node.matrix[static_cast<std::size_t>(c)];
      for (int c = 0; c < 4; ++c) {
        if (std::abs(matrix[c][3] - (c == 3 ? 1.0 : 0.0)) > 1e-6) {
          return fail_at(document_, place + "/matrix", "its last row is not 0 0 0 1");
        }
        matrix[c][3] = c == 3 ? 1.0 : 0.0;
      }
      if (const auto transform = decompose(matrix)) {
        joint.rest = *transform;
      } else {
        joint.matrix = glm::mat4(matrix);
      }
      return {};
    }
    const auto load = [](const std::vector<double>& from, auto& to) {
      for (std::size_t c = 0; c < from.size(); ++c) {
        to[static_cast<glm::length_t>(c)] = static_cast<float>(from[c]);
      }
    };
    load(node.translation, joint.rest.translation);
    load(node.scale, joint.rest.scale);
    if (!node.rotation.empty()) {
      const std::vector<double>& r = node.rotation;
      const glm::dquat rotation(r[3], r[0], r[1], r[2]);
      if (!(glm::length(rotation) > 1e-6)) return fail_at(document_, place + "/rotation", "has no length");
      joint.rest.rotation = glm::quat(glm::normalize(rotation));
    }
    return {};
  }

  // ---- Skins

  Result<void> add_skins() {
    std::unordered_map<int, std::vector<float>> matrices_of;  // by accessor: any number of skins may share one
    for (std::size_t s = 0; s < document_.gltf.skins.size(); ++s) {
      const tinygltf::Skin& source = document_.gltf.skins[s];
      Skin skin;
      for (const int node : source.joints) skin.joints.push_back(joint_of_node_[static_cast<std::size_t>(node)]);
      // "When undefined, each matrix is a 4x4 identity matrix": the default of the property.
      skin.inverse_binds.assign(skin.joints.size(), glm::dmat4(1.0));
      skin.weights.assign(skin.joints.size(), 0.0);
      if (source.inverseBindMatrices >= 0) {
        std::vector<float>& values = matrices_of[source.inverseBindMatrices];
        if (values.empty()) values = read_floats(document_, source.inverseBindMatrices);
        for (std::size_t k = 0; k < skin.joints.size(); ++k) {
          glm::dmat4& matrix = skin.inverse_binds[k];
          for (int c = 0; c < 16; ++c) matrix[c / 4][c % 4] = values[16 * k + static_cast<std::size_t>(c)];
          for (int c = 0; c < 4; ++c) {
            if (std::abs(matrix[c][3] - (c == 3 ? 1.0 : 0.0)) > 1e-4) {
              return fail_at(document_, fmt::format("/skins/{}/inverseBindMatrices", s),
                             fmt::format("the last row of matrix {} is not 0 0 0 1", k));
            }
            matrix[c][3] = c == 3 ? 1.0 : 0.0;
          }
        }
      }
      skins_.push_back(std::move(skin));
    }
    return {};
  }

  std::size_t add_rigid_skin(std::uint32_t joint) {
    skins_.push_back({.joints = {joint}, .inverse_binds = {glm::dmat4(1.0)}, .weights = {0.0}, .rigid = true});
    return skins_.size() - 1;
  }

  // ---- Materials

  void add_materials() {
    for (std::size_t i = 0; i < document_.gltf.materials.size(); ++i) {
      const tinygltf::Material& source = document_.gltf.materials[i];
      Material material;
      material.name = source.name.empty() ? fmt::format("material_{}", i) : source.name;
      const std::vector<double>& factor = source.pbrMetallicRoughness.baseColorFactor;
      for (std::size_t c = 0; c < 4; ++c) {
        material.base_color[static_cast<glm::length_t>(c)] = static_cast<float>(factor[c]);
      }
      model_.materials.push_back(std::move(material));
    }
  }

  // ---- Meshes, in the space that the file has them in; weights name joints of their skin

  // Nodes that the default scene shows; where the file has no scene, all.
  std::vector<bool> shown_nodes() {
    const auto& gltf = document_.gltf;
    if (gltf.scenes.empty()) return std::vector<bool>(gltf.nodes.size(), true);
    if (gltf.scenes.size() > 1) {
      model_.report.notes.push_back(fmt::format("{} scenes, of which the default one is read", gltf.scenes.size()));
    }
    const int scene = std::max(gltf.defaultScene, 0);
    std::vector<bool> shown(gltf.nodes.size(), false);
    for (const int root : gltf.scenes[static_cast<std::size_t>(scene)].nodes) {
      shown[static_cast<std::size_t>(root)] = true;
    }
    for (const int node : tree_.order) {
      const int parent = tree_.parents[static_cast<std::size_t>(node)];
      if (parent >= 0 && shown[static_cast<std::size_t>(parent)]) shown[static_cast<std::size_t>(node)] = true;
    }
    return shown;
  }

  Result<void> add_meshes() {
    const std::vector<bool> shown = shown_nodes();
    UniqueNames names;
    for (const int index : tree_.order) {
      const auto i = static_cast<std::size_t>(index);
      const tinygltf::Node& node = document_.gltf.nodes[i];
      if (node.mesh < 0 || !shown[i]) continue;
      const tinygltf::Mesh& source = document_.gltf.meshes[static_cast<std::size_t>(node.mesh)];
      Mesh mesh;
      mesh.name = !node.name.empty() ? node.name : source.name;
      if (mesh.name.empty()) mesh.name = fmt::format("mesh_{}", node.mesh);
      if (!budget_.take(4 * mesh.name.size())) return too_much(mesh.name);
      mesh.name = names.claim(mesh.name);
      const std::size_t skin = node.skin >= 0 ? static_cast<std::size_t>(node.skin) : add_rigid_skin(joint_of_node_[i]);
      if (auto added = fill(mesh, source, skin); !added) return added;
      if (mesh.triangles.empty()) continue;
      skin_of_mesh_.push_back(skin);
      model_.meshes.push_back(std::move(mesh));
    }
    if (model_.meshes.empty()) {
      return fail(ErrorCode::kInvalidFile,
                  fmt::format("{}: holds no mesh of triangles that a node shows", document_.source));
    }
    // Such as accessors make that lie in no buffer. Tolerances and distances relative to the size need one.
    const glm::vec3& point = model_.meshes.front().positions.front();
    const bool has_size = std::any_of(model_.meshes.begin(), model_.meshes.end(), [&](const Mesh& mesh) {
      return std::any_of(mesh.positions.begin(), mesh.positions.end(), [&](const glm::vec3& p) { return p != point; });
    });
    if (!has_size) {
      return fail(ErrorCode::kInvalidFile, fmt::format("{}: all vertices are at one point", document_.source));
    }
    return {};
  }

  tl::unexpected<Error> too_much(const std::string& name) const {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: up to '{}', the model would take more than {} MiB",
                                                     document_.source, name.substr(0, 100), Budget::kMost >> 20));
  }

  // What has to be known of all primitives of a mesh before its vertices are complete.
  struct Gaps {
    std::vector<bool> normals;  // of each vertex: to be made from the triangles
    bool some_tangents = false;
    bool all_tangents = true;
    bool some_uvs = false;
    std::uint32_t primitives_left_out = 0;
    std::uint32_t odd_normals = 0;
    std::uint32_t negative_weights = 0;
    std::uint32_t renormalised = 0;
    std::uint32_t unweighted = 0;
    std::uint32_t targets = 0;
    bool cut_triangle = false;
  };

  Result<void> fill(Mesh& mesh, const tinygltf::Mesh& source, std::size_t skin) {
    Gaps gaps;
    // Primitives that name the same attributes are parts of one set of vertices.
    std::map<std::map<std::string, int>, std::uint32_t> first_vertex_of;
    for (const tinygltf::Primitive& primitive : source.primitives) {
      const bool has_triangles = primitive.mode >= TINYGLTF_MODE_TRIANGLES && attribute(primitive, "POSITION") >= 0;
      if (!has_triangles) {
        ++gaps.primitives_left_out;
        continue;
      }
      gaps.targets += !primitive.targets.empty();
      const auto [found, is_new] =
          first_vertex_of.try_emplace(primitive.attributes, static_cast<std::uint32_t>(mesh.positions.size()));
      if (is_new) {
        if (auto added = add_vertices(mesh, primitive, skin, gaps); !added) return added;
      }
      if (auto added = add_triangles(mesh, primitive, found->second, gaps); !added) return added;
    }
    complete(mesh, gaps);
    report(mesh, gaps);
    return {};
  }

  Result<void> add_vertices(Mesh& mesh, const tinygltf::Primitive& primitive, std::size_t skin, Gaps& gaps) {
    const int positions_at = attribute(primitive, "POSITION");
    const std::size_t count = document_.gltf.accessors[static_cast<std::size_t>(positions_at)].count;
    const std::size_t sets = weight_sets(primitive);
    if (!budget_.take(count * (sizeof(Mesh::positions[0]) + sizeof(Mesh::normals[0]) + sizeof(Mesh::tangents[0]) +
                               sizeof(Mesh::uvs[0]) + 2 * 4 * sets * sizeof(Influence) + 8))) {
      return too_much(mesh.name);
    }

    const std::vector<float> positions = read_floats(document_, positions_at);
    for (std::size_t v = 0; v < count; ++v) {
      mesh.positions.emplace_back(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
    }
    read_normals(mesh, primitive, count, gaps);
    if (auto read = read_tangents(mesh, primitive, count, gaps); !read) return read;
    mesh.uvs.resize(mesh.positions.size(), glm::vec2(0.0f));
    if (const int at = attribute(primitive, "TEXCOORD_0"); at >= 0) {
      gaps.some_uvs = true;
      const std::vector<float> uvs = read_floats(document_, at);
      const std::size_t first = mesh.uvs.size() - count;
      for (std::size_t v = 0; v < count; ++v) mesh.uvs[first + v] = {uvs[2 * v], uvs[2 * v + 1]};
    }
    return add_weights(mesh, primitive, count, skin, gaps);
  }

  void read_normals(Mesh& mesh, const tinygltf::Primitive& primitive, std::size_t count, Gaps& gaps) {
    const int at = attribute(primitive, "NORMAL");
    const std::size_t first = mesh.normals.size();
    mesh.normals.resize(first + count, glm::vec3(0.0f));
    gaps.normals.resize(first + count, true);
    if (at < 0) return;
    const std::vector<float> normals = read_floats(document_, at);
    for (std::size_t v = 0; v < count; ++v) {
      const glm::dvec3 normal(normals[3 * v], normals[3 * v + 1], normals[3 * v + 2]);
      const double length = glm::length(normal);
      if (std::abs(length - 1) > 0.01) ++gaps.odd_normals;
      if (!(length > 1e-12)) continue;
      mesh.normals[first + v] = glm::vec3(normal / length);
      gaps.normals[first + v] = false;
    }
  }

  Result<void> read_tangents(Mesh& mesh, const tinygltf::Primitive& primitive, std::size_t count, Gaps& gaps) {
    const int at = attribute(primitive, "TANGENT");
    const std::size_t first = mesh.tangents.size();
    mesh.tangents.resize(first + count, glm::vec4(0.0f, 0.0f, 0.0f, 1.0f));
    (at >= 0 ? gaps.some_tangents : gaps.all_tangents) = at >= 0;
    if (at < 0) return {};
    const std::vector<float> tangents = read_floats(document_, at);
    for (std::size_t v = 0; v < count; ++v) {
      const glm::dvec3 tangent(tangents[4 * v], tangents[4 * v + 1], tangents[4 * v + 2]);
      const float handedness = tangents[4 * v + 3];
      if (!(std::abs(std::abs(handedness) - 1) < 0.01f)) {
        return fail_at(document_, fmt::format("/accessors/{}", at),
                       fmt::format("tangent {} has the handedness {}, neither 1 nor -1", v, handedness));
      }
      const double length = glm::length(tangent);
      mesh.tangents[first + v] =
          glm::vec4(length > 1e-12 ? glm::vec3(tangent / length) : glm::vec3(0.0f), handedness < 0 ? -1.0f : 1.0f);
    }
    return {};
  }

  Result<void> add_weights(Mesh& mesh, const tinygltf::Primitive& primitive, std::size_t count, std::size_t skin_index,
                           Gaps& gaps) {
    Skin& skin = skins_[skin_index];
    const std::size_t first = mesh.positions.size() - count;
    for (std::size_t v = first; v < mesh.positions.size(); ++v) {
      const glm::vec3 p = glm::abs(mesh.positions[v]);
      skin.extent = std::max<double>(skin.extent, std::max({p.x, p.y, p.z}));
    }
    if (skin.rigid) {
      const Influence whole{0, 1.0f};
      for (std::size_t v = 0; v < count; ++v) mesh.weights.append_row({&whole, 1});
      return {};
    }

    std::vector<WeightedElement> row;
    const auto append = [&] {
      append_row(mesh.weights, row);
      for (const Influence& influence : mesh.weights.row(mesh.weights.row_count() - 1)) {
        skin.weights[influence.index] += influence.weight;
      }
    };
    const std::size_t sets = weight_sets(primitive);
    std::vector<std::vector<std::uint32_t>> joints;
    std::vector<std::vector<float>> weights;
    for (std::size_t set = 0; set < sets; ++set) {
      joints.push_back(read_integers(document_, attribute(primitive, fmt::format("JOINTS_{}", set))));
      weights.push_back(read_floats(document_, attribute(primitive, fmt::format("WEIGHTS_{}", set))));
    }
    std::vector<glm::dvec3> origins;  // of the skin's joints when bound; made when a vertex needs them
    for (std::size_t v = 0; v < count; ++v) {
      row.clear();
      double sum = 0;
      for (std::size_t set = 0; set < sets; ++set) {
        for (std::size_t c = 4 * v; c < 4 * v + 4; ++c) {
          const float weight = weights[set][c];
          if (weight < 0) ++gaps.negative_weights;
          // Exporters leave anything in slots that they do not use.
          if (!(weight > 0)) continue;
          const std::uint32_t joint = joints[set][c];
          if (joint >= skin.joints.size()) {
            return fail_at(document_, fmt::format("mesh '{}', JOINTS_{}", mesh.name, set),
                           fmt::format("vertex {} names joint {} of {}", v, joint, skin.joints.size()));
          }
          row.push_back({joint, weight});
          sum += weight;
        }
      }
      if (row.empty()) {
        ++gaps.unweighted;
        if (origins.empty()) origins = bind_origins(skin);
        searched_ += origins.size();
        if (searched_ > kMostSearched) {
          return fail(ErrorCode::kUnsupported,
                      fmt::format("{}: mesh '{}': too many vertices without weights", document_.source, mesh.name));
        }
        row.push_back({nearest(origins, mesh.positions[first + v]), 1.0});
      } else if (std::abs(sum - 1) > 1e-3) {
        ++gaps.renormalised;
      }
      append();
    }
    return {};
  }

  // Where each joint of a skin stood when it was bound, in the space of its meshes. A joint whose matrix has no inverse
  // stood nowhere.
  static std::vector<glm::dvec3> bind_origins(const Skin& skin) {
    std::vector<glm::dvec3> origins;
    for (const glm::dmat4& inverse_bind : skin.inverse_binds) {
      origins.push_back(is_invertible(inverse_bind) ? glm::dvec3(glm::affineInverse(inverse_bind)[3])
                                                    : glm::dvec3(std::numeric_limits<double>::infinity()));
    }
    return origins;
  }

  static std::uint32_t nearest(const std::vector<glm::dvec3>& origins, const glm::dvec3& point) {
    std::uint32_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < origins.size(); ++k) {
      const double distance = glm::distance(origins[k], point);
      if (distance < least) {
        least = distance;
        best = static_cast<std::uint32_t>(k);
      }
    }
    return best;
  }

  Result<void> add_triangles(Mesh& mesh, const tinygltf::Primitive& primitive, std::uint32_t first_vertex, Gaps& gaps) {
    std::size_t count = document_.gltf.accessors[static_cast<std::size_t>(attribute(primitive, "POSITION"))].count;
    if (primitive.indices >= 0) count = document_.gltf.accessors[static_cast<std::size_t>(primitive.indices)].count;
    if (!budget_.take(count * (sizeof(std::uint32_t) + sizeof(glm::uvec3)))) return too_much(mesh.name);
    std::vector<std::uint32_t> indices;
    if (primitive.indices >= 0) {
      indices = read_integers(document_, primitive.indices);
    } else {
      indices.resize(count);
      std::iota(indices.begin(), indices.end(), 0u);
    }

    MeshPart part{.first_triangle = static_cast<std::uint32_t>(mesh.triangles.size()), .material = primitive.material};
    const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
      mesh.triangles.push_back(first_vertex + glm::uvec3(indices[a], indices[b], indices[c]));
    };
    // glTF 2.0, section 3.7.2.1.
    switch (primitive.mode) {
      case TINYGLTF_MODE_TRIANGLE_STRIP:
        for (std::size_t i = 0; i + 2 < count; ++i) {
          // Strips hop by triangles of two equal corners.
          if (indices[i] == indices[i + 1] || indices[i + 1] == indices[i + 2] || indices[i] == indices[i + 2])
            continue;
          add(i, i + 1 + i % 2, i + 2 - i % 2);
        }
        break;
      case TINYGLTF_MODE_TRIANGLE_FAN:
        for (std::size_t i = 0; i + 2 < count; ++i) add(i + 1, i + 2, 0);
        break;
      default:
        for (std::size_t i = 0; i + 2 < count; i += 3) add(i, i + 1, i + 2);
        if (count % 3 != 0) gaps.cut_triangle = true;
        break;
    }
    part.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size()) - part.first_triangle;
    if (part.triangle_count > 0) mesh.parts.push_back(part);
    return {};
  }

  void complete(Mesh& mesh, const Gaps& gaps) const {
    if (std::find(gaps.normals.begin(), gaps.normals.end(), true) != gaps.normals.end()) {
      const std::vector<glm::vec3> made = vertex_normals(mesh.positions, mesh.triangles);
      for (std::size_t v = 0; v < made.size(); ++v) {
        if (gaps.normals[v]) mesh.normals[v] = made[v];
      }
    }
    if (!gaps.all_tangents || !gaps.some_tangents) mesh.tangents.clear();
    for (std::size_t v = 0; v < mesh.tangents.size(); ++v) {
      if (glm::vec3(mesh.tangents[v]) == glm::vec3(0.0f)) {
        mesh.tangents[v] = glm::vec4(perpendicular(mesh.normals[v]), mesh.tangents[v].w);
      }
    }
    if (!gaps.some_uvs) mesh.uvs.clear();
  }

  void report(const Mesh& mesh, const Gaps& gaps) {
    ImportReport& report = model_.report;
    report.renormalised_vertices += gaps.renormalised;
    report.unweighted_vertices += gaps.unweighted;
    const auto note = [&](const std::string& what) {
      report.notes.push_back(fmt::format("mesh '{}': {}", mesh.name, what));
    };
    if (gaps.primitives_left_out > 0) {
      note(fmt::format("{} primitives without triangles left out", gaps.primitives_left_out));
    }
    if (gaps.renormalised > 0) note(fmt::format("the weights of {} vertices did not sum to 1", gaps.renormalised));
    if (gaps.unweighted > 0) {
      note(fmt::format("{} vertices have no weights and follow their nearest joint", gaps.unweighted));
    }
    if (gaps.negative_weights > 0) note(fmt::format("{} weights below 0 taken as 0", gaps.negative_weights));
    if (gaps.odd_normals > 0) note(fmt::format("{} normals were not unit", gaps.odd_normals));
    if (gaps.some_tangents && !gaps.all_tangents) note("tangents left out, since not all primitives have them");
    if (gaps.cut_triangle) note("an incomplete triangle at the end of a primitive left out");
    if (gaps.targets > 0) note("morph targets ignored");
  }

  // ---- Model space at bind
  //
  // Skins are free to bind a mesh in a space of its own: vertices in centimetres lying on their back, say, with inverse
  // bind matrices that make up for it. Linear blend does not care, but whatever relates meshes to each other does: a
  // driver cage for several meshes, distances in metres, a mesh parented to a joint. So all meshes are brought to one
  // space, that of the joint matrices, by a matrix M for each skin, and
  //
  //   p := M p,   inverse bind := inverse bind * M^-1,   so that   sum w J B p   is what it was.
  //
  // M puts the joint that moves most of the skin where it stands at rest: M = J_rest * B. Skins that share a joint
  // with an earlier, heavier one take that joint where the earlier skin was bound, even where the rest pose is another,
  // and meshes parented to a joint stand where the joint was bound: then all are in one pose.

  Result<void> bring_to_model_space() {
    binds_.resize(model_.skeleton.joints.size());
    std::vector<std::size_t> order;
    for (std::size_t s = 0; s < skins_.size(); ++s) {
      if (!skins_[s].rigid) order.push_back(s);
    }
    const auto weight = [&](std::size_t s) {
      return std::accumulate(skins_[s].weights.begin(), skins_[s].weights.end(), 0.0);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    for (const std::size_t s : order) place(skins_[s]);

    const std::vector<glm::dmat4> bind_pose = find_bind_pose();
    for (Skin& skin : skins_) {
      if (skin.rigid) set_space(skin, bind_pose[skin.joints.front()]);
      bind_joints(skin);
    }
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      auto moved = move(model_.meshes[m], skins_[skin_of_mesh_[m]]);
      if (!moved) return moved;
    }
    for (const BoundJoint& bound : model_.bound_joints) {
      if (!is_finite(bound.inverse_bind)) {
        return fail(ErrorCode::kInvalidFile,
                    fmt::format("{}: the inverse bind matrix of joint '{}' does not fit single precision",
                                document_.source, model_.skeleton.joints[bound.joint].name));
      }
    }
    return {};
  }

  void place(Skin& skin) {
    std::optional<std::size_t> representative;
    bool is_bound = false;
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const bool bound = binds_[skin.joints[k]].has_value();
      const bool better = !representative || (bound && !is_bound) ||
                          (bound == is_bound && skin.weights[k] > skin.weights[*representative]);
      if (!better) continue;
      representative = k;
      is_bound = bound;
    }
    const std::uint32_t joint = skin.joints[*representative];
    const glm::dmat4& inverse_bind = skin.inverse_binds[*representative];
    if (!is_bound) {
      set_space(skin, rests_[joint] * inverse_bind);
    } else if (binds_[joint]->inverse_bind == inverse_bind) {
      skin.model_from_mesh = binds_[joint]->model_from_mesh;  // to the bit, so that the two share bound joints
    } else {
      set_space(skin, binds_[joint]->model_from_mesh * glm::affineInverse(binds_[joint]->inverse_bind) * inverse_bind);
    }
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      std::optional<Bind>& bind = binds_[skin.joints[k]];
      if (!bind && is_invertible(skin.inverse_binds[k])) bind = {skin.inverse_binds[k], skin.model_from_mesh};
    }
  }

  // The identity where `model_from_mesh` is that but for rounding, and where it has no inverse.
  static void set_space(Skin& skin, const glm::dmat4& model_from_mesh) {
    constexpr double kTolerance = 1e-6;
    double off = glm::length(glm::dvec3(model_from_mesh[3])) / std::max(skin.extent, 1e-30);
    for (int c = 0; c < 3; ++c) off = std::max(off, glm::length(glm::dvec3(model_from_mesh[c] - glm::dmat4(1.0)[c])));
    if (off > kTolerance && is_invertible(model_from_mesh)) skin.model_from_mesh = model_from_mesh;
  }

  // Where each joint stood when the skins were bound; joints that no skin binds keep to their parents.
  std::vector<glm::dmat4> find_bind_pose() const {
    std::vector<glm::dmat4> pose(binds_.size());
    for (std::size_t j = 0; j < binds_.size(); ++j) {
      const std::int32_t parent = model_.skeleton.joints[j].parent;
      if (binds_[j]) {
        pose[j] = binds_[j]->model_from_mesh * glm::affineInverse(binds_[j]->inverse_bind);
      } else {
        pose[j] = parent < 0 ? local_rests_[j] : pose[static_cast<std::size_t>(parent)] * local_rests_[j];
      }
    }
    return pose;
  }

  void bind_joints(Skin& skin) {
    const glm::dmat4 mesh_from_model = glm::affineInverse(skin.model_from_mesh);
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const BoundJoint bound{skin.joints[k], glm::mat4(skin.inverse_binds[k] * mesh_from_model)};
      std::array<std::uint32_t, 17> key{bound.joint};
      std::memcpy(&key[1], &bound.inverse_bind, sizeof(bound.inverse_bind));
      const auto [found, is_new] =
          bound_joint_of_.try_emplace(key, static_cast<std::uint32_t>(model_.bound_joints.size()));
      if (is_new) model_.bound_joints.push_back(bound);
      skin.bound_joints.push_back(found->second);
    }
  }

  Result<void> move(Mesh& mesh, const Skin& skin) const {
    for (Influence& influence : mesh.weights.influences) influence.index = skin.bound_joints[influence.index];
    const glm::dmat4& m = skin.model_from_mesh;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      const glm::dvec3 moved = transform(m, mesh.positions[v]);
      if (!(std::max({std::abs(moved.x), std::abs(moved.y), std::abs(moved.z)}) <= kFarthest)) {
        return fail(ErrorCode::kInvalidFile, fmt::format("{}: mesh '{}': vertex {} is farther than {} from the origin",
                                                         document_.source, mesh.name, v, kFarthest));
      }
      mesh.positions[v] = glm::vec3(moved);
    }
    if (m == glm::dmat4(1.0)) return {};
    // Surfaces keep their outside: where M mirrors, the inverse transpose still points there, while the winding of the
    // triangles and the sense of (normal, tangent, bitangent) turn over.
    const glm::dmat3 axes(m);
    const bool mirrors = glm::determinant(axes) < 0;
    const glm::dmat3 normal_axes = glm::inverseTranspose(axes);
    for (glm::vec3& normal : mesh.normals) normal = glm::vec3(glm::normalize(normal_axes * glm::dvec3(normal)));
    for (glm::vec4& tangent : mesh.tangents) {
      const glm::vec3 moved(glm::normalize(axes * glm::dvec3(tangent)));
      tangent = glm::vec4(moved, mirrors ? -tangent.w : tangent.w);
    }
    if (mirrors) {
      for (glm::uvec3& triangle : mesh.triangles) std::swap(triangle.y, triangle.z);
    }
    return {};
  }

  // ---- Clips

  Result<void> add_clips() {
    UniqueNames names;
    for (std::size_t a = 0; a < document_.gltf.animations.size(); ++a) {
      const tinygltf::Animation& animation = document_.gltf.animations[a];
      Clip clip;
      clip.name = names.claim(animation.name.empty() ? fmt::format("clip_{}", a) : animation.name);
      std::size_t morphs = 0;
      std::size_t fixed = 0;
      for (const tinygltf::AnimationChannel& channel : animation.channels) {
        if (channel.target_node < 0) continue;  // "when undefined, the animated object may be defined by an extension"
        const std::uint32_t joint = joint_of_node_[static_cast<std::size_t>(channel.target_node)];
        if (channel.target_path == "weights") {
          ++morphs;
        } else if (model_.skeleton.joints[joint].matrix) {
          ++fixed;
        } else {
          const auto& sampler = animation.samplers[static_cast<std::size_t>(channel.sampler)];
          auto added = add_channel(clip, joint, channel.target_path, sampler);
          if (!added) return added;
        }
      }
      const auto note = [&](const std::string& what) {
        model_.report.notes.push_back(fmt::format("clip '{}': {}", clip.name, what));
      };
      if (morphs > 0) note(fmt::format("{} channels of morph weights ignored", morphs));
      if (fixed > 0)
        note(fmt::format("{} channels ignored, of nodes that no translation, rotation and scale give", fixed));
      if (clip.channels.empty()) {
        note("left out, since it moves no node");
      } else {
        model_.clips.push_back(std::move(clip));
      }
    }
    return {};
  }

  Result<void> add_channel(Clip& clip, std::uint32_t joint, const std::string& path,
                           const tinygltf::AnimationSampler& sampler) {
    const auto size_of = [&](int accessor) {
      const auto& source = document_.gltf.accessors[static_cast<std::size_t>(accessor)];
      return source.count * components_of(source) * sizeof(float);
    };
    if (!budget_.take(size_of(sampler.input) + size_of(sampler.output) + sizeof(Channel))) return too_much(clip.name);
    Channel channel{.joint = joint,
                    .path = path == "translation" ? ChannelPath::kTranslation
                            : path == "rotation"  ? ChannelPath::kRotation
                                                  : ChannelPath::kScale,
                    .interpolation = sampler.interpolation == "STEP"          ? Interpolation::kStep
                                     : sampler.interpolation == "CUBICSPLINE" ? Interpolation::kCubicSpline
                                                                              : Interpolation::kLinear,
                    .times = read_floats(document_, sampler.input),
                    .values = read_floats(document_, sampler.output)};
    if (channel.path == ChannelPath::kRotation) {
      const bool cubic = channel.interpolation == Interpolation::kCubicSpline;
      for (std::size_t k = 0; k < channel.times.size(); ++k) {
        float* q = &channel.values[4 * (cubic ? 3 * k + 1 : k)];
        const double length = glm::length(glm::dvec4(q[0], q[1], q[2], q[3]));
        if (!(length > 1e-6)) {
          return fail_at(
              document_, fmt::format("clip '{}'", clip.name),
              fmt::format("key {} of joint '{}' is a rotation without length", k, model_.skeleton.joints[joint].name));
        }
        // A key of a cubic spline belongs to its tangents, and is normalised with them when it is sampled.
        for (int c = 0; c < 4 && !cubic; ++c) q[c] = static_cast<float>(q[c] / length);
      }
    }
    clip.duration = std::max(clip.duration, channel.times.back());
    clip.channels.push_back(std::move(channel));
    return {};
  }

  struct KeyHash {
    std::size_t operator()(const std::array<std::uint32_t, 17>& key) const {
      std::size_t hash = 0;
      for (const std::uint32_t word : key) hash = hash * 0x9E3779B97F4A7C15u + word;
      return hash;
    }
  };

  static constexpr std::uint64_t kMostSearched = 500'000'000;

  const GltfDocument& document_;
  NodeTree tree_;
  Model model_;
  Budget budget_;
  std::uint64_t searched_ = 0;
  std::vector<std::uint32_t> joint_of_node_;
  std::vector<glm::dmat4> local_rests_;  // of each joint
  std::vector<glm::dmat4> rests_;        // of each joint, in model space
  std::vector<Skin> skins_;              // those of the file first
  std::vector<std::size_t> skin_of_mesh_;
  std::vector<std::optional<Bind>> binds_;  // of each joint
  std::unordered_map<std::array<std::uint32_t, 17>, std::uint32_t, KeyHash> bound_joint_of_;
};

}  // namespace

Result<Model> import_gltf(const std::filesystem::path& path) {
  const auto document = read_gltf_document(path);
  if (!document) return tl::unexpected(document.error());
  auto checked = check_accessors(*document);
  if (!checked) return tl::unexpected(checked.error());
  auto tree = check_nodes(*document);
  if (!tree) return tl::unexpected(tree.error());
  checked = check_meshes(*document);
  if (checked) checked = check_skins(*document);
  if (checked) checked = check_animations(*document);
  if (!checked) return tl::unexpected(checked.error());
  return Importer(*document, std::move(*tree)).run();
}

}  // namespace pelt
