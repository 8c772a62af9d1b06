// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <pelt/gltf_pack.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "engine/authoring/model/gltf/image.h"
#include "engine/authoring/model/gltf/loader.h"
#include "engine/authoring/model/gltf/origin.h"
#include "engine/authoring/model/gltf/schema.h"
#include "engine/character/glb/container.h"

namespace pelt {
namespace {

using nlohmann::json;

// Appends bytes at a multiple of 8, which is aligned for any accessor, and returns their offset.
std::size_t append(std::vector<std::byte>& binary, std::span<const std::byte> bytes) {
  binary.resize((binary.size() + 7) / 8 * 8);
  const std::size_t offset = binary.size();
  binary.insert(binary.end(), bytes.begin(), bytes.end());
  return offset;
}

bool has_uri(const json& object) { return object.is_object() && object.contains("uri") && object["uri"].is_string(); }

// The range of one of the file's buffers in the packed one.
struct Part {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::size_t buffer = 0;  // not 0: a placeholder (meshopt.h), which stays separate
};

// Moves a range of one of several buffers into the packed one. `range`: a buffer view, or an extension of one.
Result<void> move_range(json& range, std::span<const Part> parts, const std::string& place) {
  const std::optional<std::size_t> buffer = count_of(range, "buffer");
  if (!buffer || *buffer >= parts.size()) {
    return fail(ErrorCode::kInvalidFile, fmt::format("{}/buffer: names none of the {} buffers", place, parts.size()));
  }
  const Part& part = parts[*buffer];
  if (part.buffer != 0) {
    range["buffer"] = part.buffer;
    return {};
  }
  const std::optional<std::size_t> offset = count_of(range, "byteOffset", 0);
  const std::optional<std::size_t> length = count_of(range, "byteLength");
  if (!offset || !length || *offset > part.length || *length > part.length - *offset) {
    return fail(ErrorCode::kInvalidFile,
                fmt::format("{}: is outside the {} bytes of buffer {}", place, part.length, *buffer));
  }
  range["buffer"] = 0;
  if (part.offset + *offset != 0) range["byteOffset"] = part.offset + *offset;
  return {};
}

// Moves the extensions of a buffer view; only those of meshopt are known to name a buffer. If there is only one
// buffer, other extensions stay correct.
Result<void> move_extensions(json& extensions, std::span<const Part> parts, const std::string& place) {
  for (const auto& [name, extension] : extensions.items()) {
    const std::string extension_place = fmt::format("{}/{}", place, name);
    if (name.ends_with("_meshopt_compression")) {  // EXT and KHR
      PELT_TRY(move_range(extension, parts, extension_place));
    } else if (parts.size() > 1 && extension.contains("buffer")) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("{}: an unknown extension that names a buffer cannot be packed", extension_place));
    }
  }
  return {};
}

// Merges all buffers with bytes into one binary; `kept` receives the others.
Result<std::vector<std::byte>> merge(json& document, std::span<const std::span<const std::byte>> buffers,
                                     const std::string& source, json& kept) {
  std::vector<std::byte> binary;
  std::vector<Part> parts;
  for (const std::span<const std::byte> bytes : buffers) {
    if (bytes.empty()) {  // the schema requires at least one byte per buffer
      kept.push_back(document["buffers"][parts.size()]);
      parts.push_back({.buffer = kept.size()});
    } else {
      parts.push_back({append(binary, bytes), bytes.size()});
    }
  }
  if (!document.contains("bufferViews")) return binary;
  json& views = document["bufferViews"];
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::string place = fmt::format("{}: /bufferViews/{}", source, i);
    PELT_TRY(move_range(views[i], parts, place));
    if (!views[i].contains("extensions")) continue;
    PELT_TRY(move_extensions(views[i]["extensions"], parts, place + "/extensions"));
  }
  return binary;
}

// Gives meshes of a document new weights.
class WeightWriter {
 public:
  WeightWriter(json& document, std::vector<std::byte>& binary, const Model& model, const GltfOrigin& origin,
               const std::string& source)
      : document_(document), binary_(binary), model_(model), origin_(origin), source_(source) {
    nodes_.resize(model.skeleton.joints.size());
    for (std::size_t n = 0; n < origin.joint_of_node.size(); ++n) nodes_[origin.joint_of_node[n]] = n;
    for (const json& node : document["nodes"]) {
      if (node.contains("mesh")) ++users_[node["mesh"].get<std::size_t>()];
    }
  }

  // Makes a bound joint one of new skins.
  void use(std::uint32_t bound) { used_.insert(bound); }

  Result<void> write(const Mesh& mesh) {
    const GltfOrigin::Mesh& at = origin_.meshes.at(mesh.name);
    if (at.node >= document_["nodes"].size()) {
      return refuse(mesh, "is an instance (EXT_mesh_gpu_instancing), which no skin can move");
    }
    std::map<std::uint32_t, std::size_t> places = places_in(origin_.skins[at.skin]);
    json& node = document_["nodes"][at.node];
    const auto is_in_skin = [&](const Influence& influence) { return places.contains(influence.index); };
    if (origin_.skins[at.skin].rigid || !std::ranges::all_of(mesh.weights.influences, is_in_skin)) {
      PELT_ASSIGN(node["skin"], new_skin(mesh, origin_.skins[at.skin].model_from_mesh));
      places.clear();
      for (const std::uint32_t bound : used_) places.emplace(bound, places.size());
    }
    json& meshes = document_["meshes"];
    const auto shown = node["mesh"].get<std::size_t>();
    if (users_[shown]-- > 1) {  // others keep their weights
      node["mesh"] = meshes.size();
      meshes.push_back(json(meshes[shown]));
    }
    return write_primitives(mesh, places, meshes[node["mesh"].get<std::size_t>()]);
  }

 private:
  tl::unexpected<Error> refuse(const Mesh& mesh, const std::string& why) const {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: mesh '{}' {}", source_, mesh.name, why));
  }

  static std::map<std::uint32_t, std::size_t> places_in(const GltfSkin& skin) {
    std::map<std::uint32_t, std::size_t> places;
    for (std::size_t k = 0; k < skin.bound_joints.size(); ++k) places.emplace(skin.bound_joints[k], k);
    return places;
  }

  // Returns the index of the skin with all joints in use for meshes of that space.
  Result<std::size_t> new_skin(const Mesh& mesh, const glm::dmat4& model_from_mesh) {
    const auto found = std::ranges::find(made_, model_from_mesh, &std::pair<glm::dmat4, std::size_t>::first);
    if (found != made_.end()) return found->second;
    std::set<std::size_t> joints;
    std::vector<glm::mat4> inverse_binds;
    json skin{{"joints", json::array()}};
    for (const std::uint32_t b : used_) {
      const BoundJoint& bound = model_.bound_joints[b];
      if (!joints.insert(nodes_[bound.joint]).second) {
        return refuse(mesh, fmt::format("would be bound to joint '{}' by two inverse bind matrices",
                                        model_.skeleton.joints[bound.joint].name));
      }
      skin["joints"].push_back(nodes_[bound.joint]);
      inverse_binds.emplace_back(glm::dmat4(bound.inverse_bind) * model_from_mesh);
    }
    skin["inverseBindMatrices"] = add_accessor(std::as_bytes(std::span(inverse_binds)), inverse_binds.size(),
                                               TINYGLTF_COMPONENT_TYPE_FLOAT, "MAT4");
    document_["skins"].push_back(std::move(skin));
    made_.emplace_back(model_from_mesh, document_["skins"].size() - 1);
    return made_.back().second;
  }

  // `places`: of bound joints in the skin.
  Result<void> write_primitives(const Mesh& mesh, const std::map<std::uint32_t, std::size_t>& places, json& written) {
    std::map<json, json> attributes_of;  // primitives with the same data share vertices (primitive.cpp)
    std::size_t first = 0;
    for (json& primitive : written["primitives"]) {
      json& attributes = primitive["attributes"];
      if (!attributes.contains("POSITION")) continue;
      const auto count = document_["accessors"][attributes["POSITION"].get<std::size_t>()]["count"].get<std::size_t>();
      const json key{attributes, primitive.value("targets", json::array())};
      const auto [found, is_new] = attributes_of.try_emplace(key);
      if (is_new) {
        if (count > mesh.positions.size() - first) return refuse(mesh, "has more vertices than when it was read");
        found->second = with_rows(attributes, mesh.weights, first, count, places);
        first += count;
      }
      attributes = found->second;
    }
    return {};
  }

  json with_rows(json attributes, const SparseRows& weights, std::size_t first, std::size_t count,
                 const std::map<std::uint32_t, std::size_t>& places) {
    std::erase_if(attributes.get_ref<json::object_t&>(), [](const auto& attribute) {
      return attribute.first.starts_with("JOINTS_") || attribute.first.starts_with("WEIGHTS_");
    });
    std::size_t most = 0;
    for (std::size_t v = first; v < first + count; ++v) most = std::max(most, weights.row(v).size());
    for (std::size_t set = 0; 4 * set < most; ++set) {
      std::vector<std::uint16_t> joints(4 * count, 0);
      std::vector<float> shares(4 * count, 0);
      for (std::size_t v = 0; v < count; ++v) {
        const std::span<const Influence> row = weights.row(first + v);
        for (std::size_t k = 4 * set; k < std::min(row.size(), 4 * set + 4); ++k) {
          joints[4 * (v - set) + k] = static_cast<std::uint16_t>(places.at(row[k].index));
          shares[4 * (v - set) + k] = row[k].weight;
        }
      }
      attributes[fmt::format("JOINTS_{}", set)] =
          add_accessor(std::as_bytes(std::span(joints)), count, TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT, "VEC4",
                       TINYGLTF_TARGET_ARRAY_BUFFER);
      attributes[fmt::format("WEIGHTS_{}", set)] = add_accessor(
          std::as_bytes(std::span(shares)), count, TINYGLTF_COMPONENT_TYPE_FLOAT, "VEC4", TINYGLTF_TARGET_ARRAY_BUFFER);
    }
    return attributes;
  }

  // Returns the index of the accessor. `target`: 0 for none.
  std::size_t add_accessor(std::span<const std::byte> bytes, std::size_t count, int component, const char* type,
                           int target = 0) {
    const std::size_t offset = append(binary_, bytes);
    json& views = document_["bufferViews"];
    views.push_back({{"buffer", 0}, {"byteOffset", offset}, {"byteLength", bytes.size()}});
    if (target != 0) views.back()["target"] = target;
    json& accessors = document_["accessors"];
    accessors.push_back(
        {{"bufferView", views.size() - 1}, {"componentType", component}, {"count", count}, {"type", type}});
    return accessors.size() - 1;
  }

  json& document_;
  std::vector<std::byte>& binary_;
  const Model& model_;
  const GltfOrigin& origin_;
  const std::string& source_;
  std::vector<std::size_t> nodes_;            // of joints
  std::map<std::size_t, std::size_t> users_;  // of each mesh of the file: nodes
  std::set<std::uint32_t> used_;
  std::vector<std::pair<glm::dmat4, std::size_t>> made_;  // skins, by the space of their meshes
};

}  // namespace

Result<std::vector<std::byte>> with_weights(std::span<const std::byte> glb, const Model& model,
                                            const std::string& source) {
  GltfOrigin origin;
  PELT_ASSIGN(const auto before, import_gltf(glb, source, origin));
  PELT_ASSIGN(const auto container, open_gltf(glb, source));
  PELT_ASSIGN(auto document, parse_gltf_json(container.json, source));
  std::vector<std::byte> binary;
  if (container.binary) binary.assign(container.binary->begin(), container.binary->end());
  WeightWriter writer(document, binary, model, origin, source);
  std::vector<const Mesh*> changed;
  const auto compare = [&](const Mesh& mesh, const Mesh& in_file) {
    if (mesh.name != in_file.name || mesh.positions != in_file.positions) return false;
    const bool has_none = std::ranges::find(before.unpainted, mesh.name) != before.unpainted.end();
    if (mesh.weights == in_file.weights && !has_none) return true;
    changed.push_back(&mesh);
    for (const Influence& influence : mesh.weights.influences) writer.use(influence.index);
    return true;
  };
  bool same = model.skeleton.joints.size() == before.skeleton.joints.size() &&
              model.meshes.size() == before.meshes.size() && model.levels.size() == before.levels.size();
  for (std::size_t m = 0; same && m < model.meshes.size(); ++m) same = compare(model.meshes[m], before.meshes[m]);
  for (std::size_t l = 0; same && l < model.levels.size(); ++l) {
    same = compare(model.levels[l].mesh, before.levels[l].mesh);
  }
  if (!same) return fail(ErrorCode::kInvalidFile, source + ": has changed since it was read");
  for (const Mesh* mesh : changed) PELT_TRY(writer.write(*mesh));
  document["buffers"][0]["byteLength"] = binary.size();
  return format_glb_container(document, binary, source);
}

Result<std::vector<std::byte>> pack_gltf(const std::filesystem::path& path, NamedFiles files) {
  PELT_ASSIGN(auto file, read_file(path, kMaxGltfBytes));
  const std::string source = path.string();
  PELT_ASSIGN(const auto container, open_gltf(file, source));
  PELT_ASSIGN(auto document, parse_gltf_json(container.json, source));
  json checked = document;  // the schema removes unknown members from this copy
  PELT_TRY(check_gltf_schema(checked, source));
  if (!checked.contains("buffers")) checked["buffers"] = json::array();
  const json& buffers = checked["buffers"];
  json* images = document.contains("images") && document["images"].is_array() ? &document["images"] : nullptr;
  const bool whole = std::ranges::none_of(buffers, has_uri) &&
                     (images == nullptr || std::none_of(images->begin(), images->end(), has_uri));
  if (whole && is_glb(file)) return file;

  GltfLoader loader(path, file.size(), nullptr, files);
  std::vector<std::span<const std::byte>> spans;
  std::vector<std::vector<std::byte>> storage;
  PELT_TRY(load_gltf_buffers(checked, container, source, loader, spans, storage));
  json kept = json::array();
  PELT_ASSIGN(auto binary, merge(document, spans, source, kept));
  for (std::size_t i = 0; images != nullptr && i < images->size(); ++i) {
    json& image = (*images)[i];
    if (!has_uri(image)) continue;
    const auto bytes = loader.load(image["uri"].get<std::string>(), fmt::format("{}: /images/{}", source, i));
    if (!bytes) continue;
    const std::string_view type = image_type(*bytes);
    if (type.empty()) continue;
    image.erase("uri");
    image["mimeType"] = type;
    json& views = document["bufferViews"];
    image["bufferView"] = views.size();
    const std::size_t offset = append(binary, *bytes);
    views.push_back({{"buffer", 0}, {"byteOffset", offset}, {"byteLength", bytes->size()}});
  }
  if (binary.empty()) {
    document.erase("buffers");
  } else {
    document["buffers"] = {{{"byteLength", binary.size()}}};
    for (json& buffer : kept) document["buffers"].push_back(std::move(buffer));
  }
  return format_glb_container(document, binary, source);
}

}  // namespace pelt
