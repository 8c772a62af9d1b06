// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include <pelt/try.h>

#include "engine/authoring/base/name_list.h"

namespace pelt {
namespace {

using nlohmann::json;
using namespace std::string_view_literals;

enum class Kind { kObject, kString, kBoolean, kNumber, kInteger, kIndex, kUnchecked };
enum class Holds {
  kOne,   // a value
  kList,  // an array of such values
  kMap,   // an object, any member of which is such a value
  kMaps,  // an array of such objects
};

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
constexpr std::int64_t kMaxInteger = std::numeric_limits<std::int32_t>::max();  // above any count in use

struct Property {
  std::string_view key;
  Kind kind = Kind::kObject;
  Holds holds = Holds::kOne;
  bool required = false;
  bool lenient = false;         // values of another form are dropped, not refused
  bool blank = false;           // 0, "" and null, which exporters write for none, are dropped
  std::size_t least_items = 0;  // for a list
  std::size_t most_items = kAny;
  std::int64_t least = 0;  // for an integer, and for an index: -1 if it may be absent
  std::int64_t most = kMaxInteger;
  std::string_view target{};                  // for an index: the root's array that it points into
  std::span<const std::string_view> words{};  // for a string: all legal values; empty: any
  std::span<const Property> members{};        // for an object
};

constexpr Property object(std::string_view key, std::span<const Property> members) {
  return {.key = key, .kind = Kind::kObject, .members = members};
}
constexpr Property text(std::string_view key, std::span<const std::string_view> words = {}) {
  return {.key = key, .kind = Kind::kString, .words = words};
}
constexpr Property boolean(std::string_view key) { return {.key = key, .kind = Kind::kBoolean}; }
constexpr Property integer(std::string_view key, std::int64_t least = 0, std::int64_t most = kMaxInteger) {
  return {.key = key, .kind = Kind::kInteger, .least = least, .most = most};
}
constexpr Property index(std::string_view key, std::string_view target) {
  return {.key = key, .kind = Kind::kIndex, .target = target};
}
// Some exporters write -1 for none.
constexpr Property index_or_none(std::string_view key, std::string_view target) {
  return {.key = key, .kind = Kind::kIndex, .least = -1, .target = target};
}
constexpr Property number(std::string_view key) { return {.key = key, .kind = Kind::kNumber}; }
constexpr Property numbers(std::string_view key, std::size_t count) {
  return {.key = key, .kind = Kind::kNumber, .holds = Holds::kList, .least_items = count, .most_items = count};
}
constexpr Property numbers(std::string_view key) { return {.key = key, .kind = Kind::kNumber, .holds = Holds::kList}; }
// Checked by the function that reads it.
constexpr Property unchecked(std::string_view key) { return {.key = key, .kind = Kind::kUnchecked}; }
constexpr Property required(Property property) {
  property.required = true;
  return property;
}
constexpr Property list(Property property, std::size_t least_items = 0) {
  property.holds = Holds::kList;
  property.least_items = least_items;
  return property;
}
constexpr Property lenient(Property property) {
  property.lenient = true;
  return property;
}
constexpr Property blank(Property property) {
  property.blank = true;
  return property;
}
constexpr Property map(Property property) {
  property.holds = Holds::kMap;
  return property;
}
constexpr Property maps(Property property) {
  property.holds = Holds::kMaps;
  return property;
}

constexpr std::array kTypes{"SCALAR"sv, "VEC2"sv, "VEC3"sv, "VEC4"sv, "MAT2"sv, "MAT3"sv, "MAT4"sv};
constexpr std::array kInterpolations{"LINEAR"sv, "STEP"sv, "CUBICSPLINE"sv};

constexpr Property kComponentType = required(integer("componentType", 5120, 5130));  // tinygltf's

constexpr std::array kAsset{required(text("version")), text("minVersion")};
constexpr std::array kScene{list(index("nodes", "nodes"))};
// Not in the standard: Blender's exporter writes these for custom properties with the names of bendy-bone properties.
constexpr std::array kNodeExtras{
    unchecked("bbone_segments"), unchecked("bbone_easein"),    unchecked("bbone_easeout"),
    unchecked("bbone_rollin"),   unchecked("bbone_rollout"),   unchecked("bbone_curveinx"),
    unchecked("bbone_curveinz"), unchecked("bbone_curveoutx"), unchecked("bbone_curveoutz"),
    unchecked("bbone_scalein"),  unchecked("bbone_scaleout"),  unchecked("pelt_anchor"),
};
constexpr std::array kLevels{required(list(index("ids", "nodes"), 1))};
constexpr std::array kVisibility{boolean("visible")};
constexpr std::array kGpuInstancing{required(map(index("attributes", "accessors")))};
constexpr std::array kNodeExtensions{object("MSFT_lod", kLevels), object("KHR_node_visibility", kVisibility),
                                     object("EXT_mesh_gpu_instancing", kGpuInstancing)};
constexpr std::array kNode{
    object("extensions", kNodeExtensions),
    text("name"),
    list(index("children", "nodes")),
    index("mesh", "meshes"),
    index("skin", "skins"),
    numbers("matrix", 16),
    numbers("translation", 3),
    numbers("rotation", 4),
    numbers("scale", 3),
    numbers("weights"),
    lenient(object("extras", kNodeExtras)),
};
// Not read; a primitive with it may have no other data.
constexpr std::array kPrimitiveExtensions{object(kDraco, {})};
constexpr std::array kPrimitive{
    object("extensions", kPrimitiveExtensions),
    required(map(index("attributes", "accessors"))),
    index("indices", "accessors"),
    index("material", "materials"),
    integer("mode", 0, 6),
    maps(index("targets", "accessors")),
};
// Not in the standard, but common in exporters and readers.
constexpr std::array kMeshExtras{list(text("targetNames"))};
constexpr std::array kMesh{
    text("name"),
    required(list(object("primitives", kPrimitive))),
    numbers("weights"),
    lenient(object("extras", kMeshExtras)),
};
constexpr std::array kSkin{
    text("name"),
    required(list(index("joints", "nodes"))),
    index("inverseBindMatrices", "accessors"),
};
constexpr std::array kPointer{required(text("pointer"))};
constexpr std::array kTargetExtensions{object("KHR_animation_pointer", kPointer)};
constexpr std::array kTarget{index("node", "nodes"), required(text("path")), object("extensions", kTargetExtensions)};
constexpr std::array kChannel{required(integer("sampler")), required(object("target", kTarget))};
constexpr std::array kSampler{
    required(index("input", "accessors")),
    required(index("output", "accessors")),
    blank(text("interpolation", kInterpolations)),
};
constexpr std::array kAnimation{
    text("name"),
    list(object("channels", kChannel)),
    list(object("samplers", kSampler)),
};
constexpr std::array kSparseIndices{
    required(index("bufferView", "bufferViews")),
    integer("byteOffset"),
    kComponentType,
};
constexpr std::array kSparseValues{required(index("bufferView", "bufferViews")), integer("byteOffset")};
constexpr std::array kSparse{
    required(integer("count")),
    required(object("indices", kSparseIndices)),
    required(object("values", kSparseValues)),
};
constexpr std::array kAccessor{
    index("bufferView", "bufferViews"),
    integer("byteOffset"),
    kComponentType,
    boolean("normalized"),
    required(integer("count")),
    required(text("type", kTypes)),
    object("sparse", kSparse),
};
constexpr std::array kMeshoptModes{"ATTRIBUTES"sv, "TRIANGLES"sv, "INDICES"sv};
constexpr std::array kMeshoptFilters{"NONE"sv, "OCTAHEDRAL"sv, "QUATERNION"sv, "EXPONENTIAL"sv};
constexpr std::array kMeshoptView{
    required(index("buffer", "buffers")),    integer("byteOffset"),         required(integer("byteLength", 1)),
    required(integer("byteStride", 1, 256)), required(integer("count", 1)), required(text("mode", kMeshoptModes)),
    text("filter", kMeshoptFilters),
};
constexpr std::array kMeshoptBuffer{boolean("fallback")};
constexpr std::array kViewExtensions{object("EXT_meshopt_compression", kMeshoptView)};
constexpr std::array kBufferExtensions{object("EXT_meshopt_compression", kMeshoptBuffer)};
constexpr std::array kBufferView{
    required(index("buffer", "buffers")),  integer("byteOffset"),
    required(integer("byteLength")),       blank(integer("byteStride")),
    object("extensions", kViewExtensions),
};
constexpr std::array kBuffer{
    text("uri"),
    required(integer("byteLength", 1)),
    object("extensions", kBufferExtensions),
};
constexpr std::array kMetallicRoughness{numbers("baseColorFactor", 4), unchecked("baseColorTexture")};
constexpr std::array kMaterial{
    text("name"),
    object("pbrMetallicRoughness", kMetallicRoughness),
    lenient(text("alphaMode")),
};
constexpr std::array kVrm0Bone{text("bone"), index_or_none("node", "nodes")};
constexpr std::array kVrm0Humanoid{list(object("humanBones", kVrm0Bone))};
constexpr std::array kVrm0Bind{index_or_none("mesh", "meshes"), integer("index", -1), number("weight")};
constexpr std::array kVrm0Group{text("name"), text("presetName"), boolean("isBinary"),
                                list(object("binds", kVrm0Bind))};
constexpr std::array kVrm0Master{list(object("blendShapeGroups", kVrm0Group))};
constexpr std::array kVrm0{object("humanoid", kVrm0Humanoid), object("blendShapeMaster", kVrm0Master)};
constexpr std::array kVrmBone{required(index("node", "nodes"))};
constexpr std::array kVrmHumanoid{map(object("humanBones", kVrmBone))};
constexpr std::array kVrmBind{required(index("node", "nodes")), required(integer("index")), number("weight")};
constexpr std::array kVrmExpression{boolean("isBinary"), list(object("morphTargetBinds", kVrmBind))};
constexpr std::array kVrmExpressions{map(object("preset", kVrmExpression)), map(object("custom", kVrmExpression))};
constexpr std::array kVrm{object("humanoid", kVrmHumanoid), object("expressions", kVrmExpressions)};
constexpr std::array kRootExtensions{object("VRM", kVrm0), object("VRMC_vrm", kVrm)};
constexpr std::array kRoot{
    required(object("asset", kAsset)),
    list(text("extensionsUsed")),
    list(text("extensionsRequired")),
    index("scene", "scenes"),
    list(object("scenes", kScene)),
    list(object("nodes", kNode)),
    list(object("meshes", kMesh)),
    list(object("skins", kSkin)),
    list(object("animations", kAnimation)),
    list(object("accessors", kAccessor)),
    list(object("bufferViews", kBufferView)),
    list(object("buffers", kBuffer)),
    list(object("materials", kMaterial)),
    unchecked("textures"),
    unchecked("images"),
    object("extensions", kRootExtensions),
};

// The path of the check: a list on the stack, written as a JSON pointer only for an error.
struct JsonPath {
  const JsonPath* above = nullptr;
  std::string_view key{};
  std::size_t index = kAny;

  std::string pointer() const {
    if (above == nullptr) return "";
    return above->pointer() + "/" + (index == kAny ? std::string(key) : std::to_string(index));
  }
};

class SchemaCheck {
 public:
  SchemaCheck(const json& root, const std::string& source, NameList& blanks)
      : root_(root), source_(source), blanks_(blanks) {}

  // The tables above bound the depth of the recursion, not the file.
  Result<void> check_object(json& object, std::span<const Property> members, const JsonPath& place) const {
    if (!object.is_object()) return wrong_type(object, "an object", place);
    PELT_TRY(check_extensions(object, place));
    for (const Property& property : members) {
      const auto found = object.find(property.key);
      if (found != object.end() && property.blank && (found->is_null() || *found == 0 || *found == "")) {
        blanks_.add(JsonPath{&place, property.key}.pointer());
        object.erase(found);
        continue;
      }
      if (found == object.end()) {
        if (!property.required) continue;
        return refuse(fmt::format("'{}' is missing", property.key), place);
      }
      auto checked = check_property(*found, property, {&place, property.key});
      if (checked) continue;
      if (!property.lenient) return checked;
      object.erase(found);
    }
    for (auto member = object.begin(); member != object.end();) {
      const bool known =
          std::ranges::any_of(members, [&](const Property& property) { return property.key == member.key(); });
      member = known ? std::next(member) : object.erase(member);
    }
    return {};
  }

 private:
  Result<void> check_extensions(const json& object, const JsonPath& place) const {
    const auto extensions = object.find("extensions");
    if (extensions == object.end()) return {};
    const JsonPath here{&place, "extensions"};
    if (!extensions->is_object()) return wrong_type(*extensions, "an object", here);
    for (const auto& [name, extension] : extensions->items()) {
      if (!extension.is_object()) return wrong_type(extension, "an object", {&here, name});
    }
    return {};
  }

  Result<void> check_property(json& value, const Property& property, const JsonPath& place) const {
    switch (property.holds) {
      case Holds::kOne:
        return check_value(value, property, place);
      case Holds::kMap:
        return check_map(value, property, place);
      case Holds::kList:
      case Holds::kMaps:
        break;
    }
    if (!value.is_array()) return wrong_type(value, "an array", place);
    if (value.size() < property.least_items || value.size() > property.most_items) {
      return refuse(fmt::format("has {} entries, not {}{}", value.size(), property.least_items,
                                property.most_items == property.least_items ? "" : " or more"),
                    place);
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      const JsonPath entry{&place, {}, i};
      PELT_TRY(property.holds == Holds::kMaps ? check_map(value[i], property, entry)
                                              : check_value(value[i], property, entry));
    }
    return {};
  }

  Result<void> check_map(json& value, const Property& property, const JsonPath& place) const {
    if (!value.is_object()) return wrong_type(value, "an object", place);
    for (auto& [name, member] : value.items()) {
      PELT_TRY(check_value(member, property, {&place, name}));
    }
    return {};
  }

  Result<void> check_value(json& value, const Property& property, const JsonPath& place) const {
    switch (property.kind) {
      case Kind::kObject:
        return check_object(value, property.members, place);
      case Kind::kString:
        if (!value.is_string()) return wrong_type(value, "a string", place);
        if (!property.words.empty() &&
            std::ranges::find(property.words, value.get_ref<const std::string&>()) == property.words.end()) {
          return refuse(fmt::format("'{}' is not one of {}", shorten(value), fmt::join(property.words, ", ")), place);
        }
        return {};
      case Kind::kBoolean:
        return value.is_boolean() ? Result<void>{} : wrong_type(value, "true or false", place);
      case Kind::kNumber:
        if (!value.is_number()) return wrong_type(value, "a number", place);
        if (!(std::abs(value.get<double>()) <= FLT_MAX)) {
          return refuse(fmt::format("{} does not fit single precision", value.get<double>()), place);
        }
        return {};
      case Kind::kInteger:
        return check_integer(value, property.least, property.most, place);
      case Kind::kIndex:
        return check_index(value, property, place);
      case Kind::kUnchecked:
        return {};
    }
    return {};
  }

  Result<void> check_integer(json& value, std::int64_t least, std::int64_t most, const JsonPath& place) const {
    if (!value.is_number()) return wrong_type(value, "an integer", place);
    // 36.0 is an integer in JSON. An integer beyond 53 bits is above `most` after rounding, too.
    const double number = value.get<double>();
    if (number != std::floor(number)) return wrong_type(value, "an integer", place);
    if (number < static_cast<double>(least) || number > static_cast<double>(most)) {
      return refuse(fmt::format("{} is not between {} and {}", value.dump(), least, most), place);
    }
    value = static_cast<std::int64_t>(number);
    return {};
  }

  Result<void> check_index(json& value, const Property& property, const JsonPath& place) const {
    PELT_TRY(check_integer(value, property.least, kMaxInteger, place));
    if (value.get<std::int64_t>() < 0) return {};
    const auto array = root_.find(property.target);
    const std::size_t count = array != root_.end() && array->is_array() ? array->size() : 0;
    if (value.get<std::size_t>() < count) return {};
    return refuse(fmt::format("{}, but the number of {} is {}", value.get<std::size_t>(), property.target, count),
                  place);
  }

  static std::string shorten(const json& value) {
    constexpr std::size_t kMax = 60;
    std::string text = value.is_string() ? value.get<std::string>() : std::string(value.type_name());
    if (text.size() > kMax) text = text.substr(0, kMax) + "...";
    return text;
  }

  Result<void> wrong_type(const json& value, std::string_view wanted, const JsonPath& place) const {
    return refuse(fmt::format("is {}, not {}", name_of(value), wanted), place);
  }

  static std::string name_of(const json& value) {
    switch (value.type()) {
      case json::value_t::object:
        return "an object";
      case json::value_t::array:
        return "an array";
      case json::value_t::string:
        return "a string";
      default:
        return value.dump();
    }
  }

  Result<void> refuse(const std::string& why, const JsonPath& place) const {
    const std::string pointer = place.pointer();
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}: {}", source_, pointer.empty() ? "/" : pointer, why));
  }

  const json& root_;
  const std::string& source_;
  NameList& blanks_;
};

}  // namespace

Result<std::string> check_gltf_schema(nlohmann::json& document, const std::string& source) {
  NameList blanks;
  PELT_TRY(SchemaCheck(document, source, blanks).check_object(document, kRoot, {}));
  return blanks.empty() ? "" : fmt::format("0, '' or null is taken as absent at {}", blanks.text());
}

bool is_read_extra(std::string_view key) {
  const auto has_key = [&](const Property& property) { return property.key == key; };
  return std::ranges::any_of(kNodeExtras, has_key) || std::ranges::any_of(kMeshExtras, has_key);
}

}  // namespace pelt
