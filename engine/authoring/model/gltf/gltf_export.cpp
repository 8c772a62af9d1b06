// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <tiny_gltf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include <pelt/gltf_export.h>
#include <pelt/try.h>

#include "engine/authoring/base/caught.h"
#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/model/gltf/image.h"
#include "engine/authoring/model/gltf/morph_keys.h"

namespace pelt {
namespace {

template <class Vector>
std::vector<double> numbers(const Vector& v) {
  std::vector<double> result;
  for (glm::length_t i = 0; i < v.length(); ++i) result.push_back(v[i]);
  return result;
}

std::vector<double> numbers(const glm::mat4& m) {
  std::vector<double> result;
  for (glm::length_t i = 0; i < 16; ++i) result.push_back(m[i / 4][i % 4]);
  return result;
}

// Fills the only buffer, and describes its contents to a tinygltf::Model.
class Builder {
 public:
  explicit Builder(tinygltf::Model& gltf) : gltf_(gltf) { gltf_.buffers.emplace_back(); }

  // These functions return the index of the accessor.
  template <class Value>
  int add(std::span<const Value> values, int type, int component = TINYGLTF_COMPONENT_TYPE_FLOAT,
          int target = TINYGLTF_TARGET_ARRAY_BUFFER) {
    tinygltf::Accessor accessor;
    accessor.bufferView = add_view(std::as_bytes(values), target);
    accessor.componentType = component;
    accessor.type = type;
    accessor.count = values.size();
    gltf_.accessors.push_back(std::move(accessor));
    return static_cast<int>(gltf_.accessors.size()) - 1;
  }

  // Returns the index of the buffer view.
  int add_view(std::span<const std::byte> bytes, int target = 0) {
    tinygltf::BufferView view;
    std::vector<unsigned char>& data = gltf_.buffers.front().data;
    view.buffer = 0;
    view.byteOffset = data.size();
    view.byteLength = bytes.size();
    view.target = target;
    const auto* first = reinterpret_cast<const unsigned char*>(bytes.data());
    data.insert(data.end(), first, first + bytes.size());
    data.resize((data.size() + 3) / 4 * 4);
    gltf_.bufferViews.push_back(std::move(view));
    return static_cast<int>(gltf_.bufferViews.size()) - 1;
  }

  // Adds times, which ascend, with the bounds that glTF requires. Channels share them.
  int add_times(const std::vector<float>& times) {
    const auto [known, is_new] = times_.try_emplace(times, 0);
    if (!is_new) return known->second;
    const int index = add<float>(times, TINYGLTF_TYPE_SCALAR, TINYGLTF_COMPONENT_TYPE_FLOAT, 0);
    tinygltf::Accessor& accessor = gltf_.accessors[static_cast<std::size_t>(index)];
    accessor.minValues = {times.front()};
    accessor.maxValues = {times.back()};
    known->second = index;
    return index;
  }

  // Adds positions with the bounds that glTF requires.
  int add_positions(std::span<const glm::vec3> positions) {
    const auto bounds = bounds_of<glm::vec3>(positions);
    const int index = add(positions, TINYGLTF_TYPE_VEC3);
    tinygltf::Accessor& accessor = gltf_.accessors[static_cast<std::size_t>(index)];
    accessor.minValues = numbers(bounds.low);
    accessor.maxValues = numbers(bounds.high);
    return index;
  }

  // Adds floats, several per value.
  int add_tuples(std::span<const float> values, int type) {
    const int index = add(values, type, TINYGLTF_COMPONENT_TYPE_FLOAT, 0);
    gltf_.accessors[static_cast<std::size_t>(index)].count /=
        static_cast<std::size_t>(tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(type)));
    return index;
  }

  int add_indices(std::span<const glm::uvec3> triangles) {
    const int index = add(std::span(&triangles.front().x, 3 * triangles.size()), TINYGLTF_TYPE_SCALAR,
                          TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT, TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER);
    return index;
  }

 private:
  tinygltf::Model& gltf_;
  std::map<std::vector<float>, int> times_;
};

// Indices in Model::bound_joints, ascending: the joints of a skin in order.
using Skin = std::vector<std::uint32_t>;

struct Skins {
  std::vector<Skin> skins;
  std::vector<int> of_mesh;  // -1: the mesh has no weights
};

// Makes the skins of a model. A skin of glTF contains a joint only once, so bound joints of one joint are in several. A
// mesh goes to the first skin that fits it; a bound joint that moves no mesh goes to the first skin or is left out.
Result<Skins> make_skins(const Model& model) {
  constexpr std::size_t kMaxTried = 100;
  using BoundOfJoint = std::map<std::uint32_t, std::uint32_t>;
  std::vector<BoundOfJoint> skins;
  Skins result;
  for (const Mesh& mesh : model.meshes) {
    result.of_mesh.push_back(-1);
    if (mesh.positions.empty() || mesh.weights.row_count() == 0) continue;
    BoundOfJoint joints;
    for (const Influence& influence : mesh.weights.influences) {
      const std::uint32_t joint = model.bound_joints[influence.index].joint;
      if (joints.try_emplace(joint, influence.index).first->second == influence.index) continue;
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("{}: mesh '{}' is bound to joint '{}' by two inverse bind matrices, and a skin of glTF has "
                      "one for each joint; split the mesh",
                      model.name, mesh.name, model.skeleton.joints[joint].name));
    }
    const auto fits = [&](const BoundOfJoint& skin) {
      return std::ranges::all_of(joints, [&](const auto& entry) {
        const auto found = skin.find(entry.first);
        return found == skin.end() || found->second == entry.second;
      });
    };
    const auto tried_end = skins.begin() + static_cast<std::ptrdiff_t>(std::min(skins.size(), kMaxTried));
    auto skin = std::find_if(skins.begin(), tried_end, fits);
    if (skin == tried_end) skin = skins.emplace(skins.end());
    skin->insert(joints.begin(), joints.end());
    result.of_mesh.back() = static_cast<int>(skin - skins.begin());
  }
  if (skins.empty() && !model.bound_joints.empty()) skins.emplace_back();
  std::vector<bool> is_used(model.bound_joints.size(), false);
  for (const BoundOfJoint& skin : skins) {
    for (const auto& [joint, bound] : skin) is_used[bound] = true;
  }
  for (std::uint32_t b = 0; b < model.bound_joints.size(); ++b) {
    if (!is_used[b]) skins.front().try_emplace(model.bound_joints[b].joint, b);
  }
  for (const BoundOfJoint& skin : skins) {
    Skin& bound_joints = result.skins.emplace_back();
    for (const auto& [joint, bound] : skin) bound_joints.push_back(bound);
    std::sort(bound_joints.begin(), bound_joints.end());
  }
  return result;
}

void add_weights(Builder& builder, const SparseRows& weights, const Skin& skin, tinygltf::Primitive& primitive) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < weights.row_count(); ++i) most = std::max(most, weights.row(i).size());
  for (std::size_t set = 0; 4 * set < most; ++set) {
    std::vector<glm::u16vec4> joints(weights.row_count(), glm::u16vec4(0));
    std::vector<glm::vec4> shares(weights.row_count(), glm::vec4(0));
    for (std::size_t i = 0; i < weights.row_count(); ++i) {
      const std::span<const Influence> row = weights.row(i);
      for (std::size_t k = 4 * set; k < std::min(row.size(), 4 * set + 4); ++k) {
        const auto place = static_cast<glm::length_t>(k - 4 * set);
        const auto joint = std::lower_bound(skin.begin(), skin.end(), row[k].index);
        joints[i][place] = static_cast<std::uint16_t>(joint - skin.begin());
        shares[i][place] = row[k].weight;
      }
    }
    primitive.attributes[fmt::format("JOINTS_{}", set)] =
        builder.add<glm::u16vec4>(joints, TINYGLTF_TYPE_VEC4, TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT);
    primitive.attributes[fmt::format("WEIGHTS_{}", set)] = builder.add<glm::vec4>(shares, TINYGLTF_TYPE_VEC4);
  }
}

// Writes scalars under their own names, and COLOR_0 from its components.
void add_attributes(Builder& builder, const Mesh& mesh, tinygltf::Primitive& primitive) {
  std::map<std::string, const std::vector<float>*> color;
  for (const VertexAttribute& attribute : mesh.attributes) {
    if (attribute.name.starts_with("_")) {
      primitive.attributes[attribute.name] = builder.add<float>(attribute.values, TINYGLTF_TYPE_SCALAR);
    } else if (attribute.name.starts_with("COLOR_0.")) {
      color[attribute.name.substr(8)] = &attribute.values;
    }
  }
  if (!color.contains("r") || !color.contains("g") || !color.contains("b")) return;
  std::vector<glm::vec4> values(mesh.positions.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = {(*color["r"])[i], (*color["g"])[i], (*color["b"])[i], color.contains("a") ? (*color["a"])[i] : 1.0f};
  }
  primitive.attributes["COLOR_0"] = builder.add<glm::vec4>(values, TINYGLTF_TYPE_VEC4);
}

// `skin`: of the mesh, if it has weights.
tinygltf::Mesh make_mesh(Builder& builder, const Mesh& mesh, const Skin& skin) {
  tinygltf::Mesh result;
  result.name = mesh.name;
  tinygltf::Primitive shared;
  shared.mode = TINYGLTF_MODE_TRIANGLES;
  shared.attributes["POSITION"] = builder.add_positions(mesh.positions);
  if (!mesh.normals.empty()) shared.attributes["NORMAL"] = builder.add<glm::vec3>(mesh.normals, TINYGLTF_TYPE_VEC3);
  if (!mesh.tangents.empty()) shared.attributes["TANGENT"] = builder.add<glm::vec4>(mesh.tangents, TINYGLTF_TYPE_VEC4);
  if (!mesh.uvs.empty()) shared.attributes["TEXCOORD_0"] = builder.add<glm::vec2>(mesh.uvs, TINYGLTF_TYPE_VEC2);
  add_weights(builder, mesh.weights, skin, shared);
  add_attributes(builder, mesh, shared);
  tinygltf::Value::Array target_names;
  for (const MorphTarget& target : mesh.morph_targets) {
    std::map<std::string, int>& offsets = shared.targets.emplace_back();
    offsets["POSITION"] = builder.add_positions(target.offsets);
    if (!target.normals.empty()) offsets["NORMAL"] = builder.add<glm::vec3>(target.normals, TINYGLTF_TYPE_VEC3);
    if (!target.tangents.empty() && !mesh.tangents.empty()) {
      offsets["TANGENT"] = builder.add<glm::vec3>(target.tangents, TINYGLTF_TYPE_VEC3);
    }
    result.weights.push_back(target.weight);
    target_names.emplace_back(target.name);
  }
  if (!target_names.empty()) {
    result.extras = tinygltf::Value(tinygltf::Value::Object{{"targetNames", tinygltf::Value(std::move(target_names))}});
  }
  for (const MeshPart& part : mesh.parts) {
    if (part.triangle_count == 0) continue;
    tinygltf::Primitive primitive = shared;
    primitive.indices =
        builder.add_indices(std::span(mesh.triangles).subspan(part.first_triangle, part.triangle_count));
    primitive.material = part.material;
    result.primitives.push_back(std::move(primitive));
  }
  if (result.primitives.empty()) {
    shared.mode = TINYGLTF_MODE_POINTS;
    result.primitives.push_back(std::move(shared));
  }
  return result;
}

void add_skeleton(const Model& model, tinygltf::Model& gltf, tinygltf::Scene& scene) {
  for (std::size_t j = 0; j < model.skeleton.joints.size(); ++j) {
    const Joint& joint = model.skeleton.joints[j];
    tinygltf::Node node;
    node.name = joint.name;
    if (joint.matrix) {
      node.matrix = numbers(*joint.matrix);
    } else {
      const glm::quat& q = joint.rest.rotation;
      node.translation = numbers(joint.rest.translation);
      node.rotation = {q.x, q.y, q.z, q.w};
      node.scale = numbers(joint.rest.scale);
    }
    gltf.nodes.push_back(std::move(node));
    if (joint.parent < 0) {
      scene.nodes.push_back(static_cast<int>(j));
    } else {
      gltf.nodes[static_cast<std::size_t>(joint.parent)].children.push_back(static_cast<int>(j));
    }
  }
}

void add_skins(Builder& builder, const Model& model, std::span<const Skin> skins, tinygltf::Model& gltf) {
  for (const Skin& source : skins) {
    tinygltf::Skin skin;
    std::vector<glm::mat4> inverse_binds;
    for (const std::uint32_t b : source) {
      skin.joints.push_back(static_cast<int>(model.bound_joints[b].joint));
      inverse_binds.push_back(model.bound_joints[b].inverse_bind);
    }
    skin.inverseBindMatrices =
        builder.add<glm::mat4>(inverse_binds, TINYGLTF_TYPE_MAT4, TINYGLTF_COMPONENT_TYPE_FLOAT, 0);
    gltf.skins.push_back(std::move(skin));
  }
}

// Writes the images of materials in formats that glTF allows without an extension.
void add_images(Builder& builder, const Model& model, tinygltf::Model& gltf) {
  std::vector<int> texture_of_image;
  for (const EncodedImage& source : model.images) {
    const auto bytes = std::as_bytes(std::span(source.bytes));
    tinygltf::Image image;
    image.name = source.name;
    image.mimeType = image_type(bytes);
    const bool known = image.mimeType == "image/png" || image.mimeType == "image/jpeg";
    texture_of_image.push_back(known ? static_cast<int>(gltf.textures.size()) : -1);
    if (!known) continue;
    image.bufferView = builder.add_view(bytes);
    tinygltf::Texture texture;
    texture.source = static_cast<int>(gltf.images.size());
    gltf.images.push_back(std::move(image));
    gltf.textures.push_back(std::move(texture));
  }
  for (std::size_t m = 0; m < model.materials.size(); ++m) {
    const std::int32_t image = model.materials[m].base_color_image;
    if (image < 0 || static_cast<std::size_t>(image) >= texture_of_image.size()) continue;
    gltf.materials[m].pbrMetallicRoughness.baseColorTexture.index = texture_of_image[static_cast<std::size_t>(image)];
  }
}

const char* name_of(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::kStep:
      return "STEP";
    case Interpolation::kLinear:
      return "LINEAR";
    case Interpolation::kCubicSpline:
      return "CUBICSPLINE";
  }
  return "LINEAR";
}

void add_channel(tinygltf::Animation& animation, int node, const char* path, int times, int values,
                 Interpolation interpolation) {
  tinygltf::AnimationSampler sampler;
  sampler.input = times;
  sampler.output = values;
  sampler.interpolation = name_of(interpolation);
  tinygltf::AnimationChannel channel;
  channel.sampler = static_cast<int>(animation.samplers.size());
  channel.target_node = node;
  channel.target_path = path;
  animation.samplers.push_back(std::move(sampler));
  animation.channels.push_back(std::move(channel));
}

// A key of glTF has the weights of all targets of a mesh. Returns false if there would be too many.
bool add_morph_channels(Builder& builder, const Mesh& mesh, int node, const Clip& clip,
                        tinygltf::Animation& animation) {
  std::vector<const MorphChannel*> of_target(mesh.morph_targets.size(), nullptr);
  bool has_any = false;
  for (const MorphChannel& channel : clip.morph_channels) {
    if (channel.mesh != mesh.name || channel.target >= of_target.size() || channel.times.empty()) continue;
    of_target[channel.target] = &channel;
    has_any = true;
  }
  if (!has_any) return true;
  std::vector<float> rests;
  for (const MorphTarget& target : mesh.morph_targets) rests.push_back(target.weight);
  const std::optional<MorphKeys> keys = merge_keys(of_target, rests);
  if (!keys) return false;
  const int values = builder.add<float>(keys->values, TINYGLTF_TYPE_SCALAR, TINYGLTF_COMPONENT_TYPE_FLOAT, 0);
  add_channel(animation, node, "weights", builder.add_times(keys->times), values, keys->interpolation);
  return true;
}

// `node_of_mesh`: -1 if the mesh is not written.
Result<void> add_clips(Builder& builder, const Model& model, std::span<const int> node_of_mesh, tinygltf::Model& gltf) {
  for (const Clip& clip : model.clips) {
    tinygltf::Animation animation;
    animation.name = clip.name;
    for (const Channel& channel : clip.channels) {
      // A node with a matrix cannot be animated.
      if (channel.times.empty() || model.skeleton.joints[channel.joint].matrix) continue;
      const bool turns = channel.path == ChannelPath::kRotation;
      const std::span<const float> values(channel.values);
      const int times = builder.add_times(channel.times);
      const int type = turns ? TINYGLTF_TYPE_VEC4 : TINYGLTF_TYPE_VEC3;
      const char* path = turns ? "rotation" : channel.path == ChannelPath::kScale ? "scale" : "translation";
      add_channel(animation, static_cast<int>(channel.joint), path, times, builder.add_tuples(values, type),
                  channel.interpolation);
    }
    for (std::size_t m = 0; m < model.meshes.size(); ++m) {
      if (node_of_mesh[m] < 0) continue;
      if (!add_morph_channels(builder, model.meshes[m], node_of_mesh[m], clip, animation)) {
        return fail(ErrorCode::kUnsupported,
                    fmt::format("{}: clip '{}' keys the morph targets of mesh '{}' at too many "
                                "different times",
                                model.name, clip.name, model.meshes[m].name));
      }
    }
    if (!animation.channels.empty()) gltf.animations.push_back(std::move(animation));
  }
  return {};
}

}  // namespace

Result<std::string> format_glb(const Model& model) {
  const auto unsupported = [&](const char* why) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: {}", model.name, why));
  };
  if (model.bound_joints.size() > 65536) return unsupported("a skin of glTF has at most 65536 joints");
  PELT_ASSIGN(const Skins skins, make_skins(model));
  tinygltf::Model gltf;
  gltf.asset.version = "2.0";
  gltf.asset.generator = "pelt";
  for (const Material& material : model.materials) {
    tinygltf::Material result;
    result.name = material.name;
    result.pbrMetallicRoughness.baseColorFactor = numbers(material.base_color);
    result.pbrMetallicRoughness.metallicFactor = 0;
    if (material.alpha_mask) result.alphaMode = "MASK";
    gltf.materials.push_back(std::move(result));
  }
  Builder builder(gltf);
  tinygltf::Scene scene;
  add_skeleton(model, gltf, scene);
  add_skins(builder, model, skins.skins, gltf);
  add_images(builder, model, gltf);
  std::vector<int> node_of_mesh;
  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    const Mesh& mesh = model.meshes[m];
    node_of_mesh.push_back(mesh.positions.empty() ? -1 : static_cast<int>(gltf.nodes.size()));
    if (mesh.positions.empty()) continue;
    tinygltf::Node node;
    node.name = mesh.name;
    node.mesh = static_cast<int>(gltf.meshes.size());
    node.skin = skins.of_mesh[m];
    const Skin skin = node.skin < 0 ? Skin() : skins.skins[static_cast<std::size_t>(node.skin)];
    scene.nodes.push_back(static_cast<int>(gltf.nodes.size()));
    gltf.nodes.push_back(std::move(node));
    gltf.meshes.push_back(make_mesh(builder, mesh, skin));
  }
  PELT_TRY(add_clips(builder, model, node_of_mesh, gltf));
  if (gltf.buffers.front().data.empty()) gltf.buffers.clear();
  if (!gltf.buffers.empty() && gltf.buffers.front().data.size() >= std::uint64_t{0xf0000000}) {
    return unsupported("is too large for a .glb file");
  }
  gltf.scenes.push_back(std::move(scene));
  gltf.defaultScene = 0;
  const auto write = [&]() -> Result<std::string> {
    std::ostringstream stream;
    if (!tinygltf::TinyGLTF().WriteGltfSceneToStream(&gltf, stream, false, true)) {
      return unsupported("cannot be written as glTF");
    }
    return std::move(stream).str();
  };
  // The JSON library has no other failure here.
  return caught(write, [&](const char*) { return unsupported("has a name that is not UTF-8; rename it"); });
}

}  // namespace pelt
