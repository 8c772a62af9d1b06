// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/bendy_bone.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace pelt {
namespace {

class ExtrasReader {
 public:
  explicit ExtrasReader(const tinygltf::Value& extras) : extras_(extras) {}

  void segments(const char* key, std::optional<std::uint32_t>& value) {
    float number = 0;
    if (!read(key, number)) return;
    if (!(number >= 1 && number <= 1e6f && number == std::floor(number))) return refuse(key, "is not a count");
    value = static_cast<std::uint32_t>(number);
  }

  void ease(const char* key, std::optional<float>& value) {
    float number = 0;
    if (read(key, number)) value = number;
  }

  void radians(const char* key, float& degrees) {
    float number = 0;
    if (read(key, number)) degrees = glm::degrees(number);
  }

  void number(const char* key, float& value) { read(key, value); }

  void vector(const char* key, glm::vec3& value) {
    if (!extras_.Has(key)) return;
    any_ = true;
    const tinygltf::Value& array = extras_.Get(key);
    if (!array.IsArray() || array.ArrayLen() != 3) return refuse(key, "is not three numbers");
    for (int c = 0; c < 3; ++c) read_number(key, array.Get(c), value[c]);
  }

  bool any() const { return any_; }
  const std::string& why() const { return why_; }

 private:
  bool read(const char* key, float& value) {
    if (!extras_.Has(key)) return false;
    any_ = true;
    return read_number(key, extras_.Get(key), value);
  }

  bool read_number(const char* key, const tinygltf::Value& json, float& value) {
    const double number = json.IsNumber() ? json.GetNumberAsDouble() : std::numeric_limits<double>::quiet_NaN();
    if (!(std::abs(number) <= double{std::numeric_limits<float>::max()})) {
      refuse(key, "does not fit single precision");
      return false;
    }
    value = static_cast<float>(number);
    return true;
  }

  void refuse(const char* key, const char* what) {
    if (why_.empty()) why_ = fmt::format("{} {}", key, what);
  }

  const tinygltf::Value& extras_;
  bool any_ = false;
  std::string why_;
};

}  // namespace

std::optional<BendyBone> read_bendy_bone(const tinygltf::Value& extras, std::string& why) {
  if (!extras.IsObject()) return std::nullopt;
  ExtrasReader reader(extras);
  BendyBone bone;
  reader.segments("bbone_segments", bone.segments);
  reader.ease("bbone_easein", bone.ease_in);
  reader.ease("bbone_easeout", bone.ease_out);
  reader.radians("bbone_rollin", bone.roll_in);
  reader.radians("bbone_rollout", bone.roll_out);
  reader.number("bbone_curveinx", bone.curve_in.x);
  reader.number("bbone_curveinz", bone.curve_in.y);
  reader.number("bbone_curveoutx", bone.curve_out.x);
  reader.number("bbone_curveoutz", bone.curve_out.y);
  reader.vector("bbone_scalein", bone.scale_in);
  reader.vector("bbone_scaleout", bone.scale_out);
  why = reader.why();
  if (why.empty()) {
    if (const char* wrong = wrong_property(bone)) why = fmt::format("{} is out of its range", wrong);
  }
  if (!why.empty() || !reader.any()) return std::nullopt;
  return bone;
}

}  // namespace pelt
