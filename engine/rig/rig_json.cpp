// SPDX-License-Identifier: MIT
#include "engine/rig/rig_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "engine/core/file_io.h"
#include "engine/rig/deformers.h"

// One function a struct, describe(fields, struct), names its keys. Given a Reader it reads them, given a Writer it
// writes them, so that the two cannot drift. A new deformer adds its describe, and its entry in deformers().

namespace pelt {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kFormat = "pelt-rig 1";
constexpr std::string_view kFormatFamily = "pelt-rig ";
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxDepth = 32;  // a rig needs 11

struct Range {
  const char* text;
  bool (*contains)(float);
};
constexpr Range kNotNegative{"a number >= 0", [](float v) { return v >= 0; }};
constexpr Range kPositive{"a number > 0", [](float v) { return v > 0; }};
constexpr Range kWiresExponent{"a number from 0 to 64", [](float v) { return v >= 0 && v <= 64; }};
constexpr Range kAtLeastOne{"a number >= 1", [](float v) { return v >= 1; }};
constexpr Range kAnyNumber{"a number", [](float) { return true; }};
constexpr Range kUnitInterval{"a number from 0 to 1", [](float v) { return v >= 0 && v <= 1; }};

template <class E>
struct Choice {
  std::string_view name;
  E value;
};
constexpr Choice<Follow> kFollows[] = {{"dual_quaternion", Follow::kDualQuaternion},
                                       {"linear_blend", Follow::kLinearBlend},
                                       {"closest_limb", Follow::kClosestLimb},
                                       {"streamed", Follow::kStreamed}};
constexpr Choice<KeyInterpolation> kKeyInterpolations[] = {{"linear", KeyInterpolation::kLinear},
                                                           {"rbf", KeyInterpolation::kRbf}};
constexpr Choice<SurfaceFfdParameters::Mode> kModes[] = {{"basic", SurfaceFfdParameters::Mode::kBasic},
                                                         {"extended", SurfaceFfdParameters::Mode::kExtended}};
constexpr Choice<Cut> kCuts[] = {{"continuous", Cut::kContinuous}, {"hard", Cut::kHard}};

// ---- What each struct holds ----

template <class Fields>
void describe(Fields&, LinearBlendParameters&) {}

template <class Fields>
void describe(Fields&, DualQuaternionParameters&) {}

template <class Fields>
void describe(Fields& fields, Box& box) {
  fields.vector("min", box.min);
  fields.vector("max", box.max);
  fields.number("falloff", box.falloff, kNotNegative);
}

template <class Fields>
void describe(Fields& fields, Sphere& sphere) {
  fields.vector("center", sphere.center);
  fields.number("radius", sphere.radius, kNotNegative);
  fields.number("falloff", sphere.falloff, kNotNegative);
}

template <class Fields>
void describe(Fields& fields, Region& region) {
  fields.texts("joints", region.joints);
  fields.number("joint_falloff", region.joint_falloff, kNotNegative);
  fields.text("group", region.group);
  fields.text("attribute", region.attribute);
  fields.optional_object("box", region.box);
  fields.optional_object("sphere", region.sphere);
}

template <class Fields>
void describe(Fields& fields, Group& group) {
  fields.text("name", group.name);
  fields.refuse(group.name.empty(), "name", "must not be empty");
  fields.text("mesh", group.mesh);
  fields.ranges("vertices", group.vertices);
  fields.numbers("values", group.values, kUnitInterval);
  fields.ranges("triangles", group.triangles);
  fields.object("region", group.region);
}

template <class Fields>
void describe(Fields& fields, KeyAngle& angle) {
  fields.text("joint", angle.joint);
  fields.vector("axis", angle.axis);
}

template <class Fields>
void describe(Fields& fields, KeyPose& pose) {
  fields.numbers("degrees", pose.degrees, kAnyNumber);
  fields.text("morph_target", pose.morph_target);
  fields.offsets("offsets", pose.offsets);
}

template <class Fields>
void describe(Fields& fields, KeyPoseSet& set) {
  fields.objects("angles", set.angles);
  fields.choice("interpolation", set.interpolation, std::span(kKeyInterpolations));
  fields.objects("poses", set.poses);
}

template <class Fields>
void describe(Fields& fields, PatchParameters& patch) {
  fields.integers("shape", patch.shape);
  fields.integers("degree", patch.degree);
  fields.numbers("knots_u", patch.knots_u, kAnyNumber);
  fields.numbers("knots_v", patch.knots_v, kAnyNumber);
  fields.vectors("control", patch.control);
  fields.numbers("weights", patch.weights, kPositive);
}

template <class Fields>
void describe(Fields& fields, Refinement& refinement) {
  fields.object("region", refinement.region);
  fields.integer("levels", refinement.levels);
}

template <class Fields>
void describe(Fields& fields, DriverParameters& driver) {
  fields.text("mesh", driver.mesh);
  fields.text("file", driver.file);
  fields.objects("patches", driver.patches);
  const int sources = int{!driver.mesh.empty()} + int{!driver.file.empty()} + int{!driver.patches.empty()};
  fields.refuse(sources > 1, driver.file.empty() ? "patches" : "file", "a driver has one of mesh, file and patches");
  fields.integer_or("none", "tessellation", driver.tessellation);
  fields.integer("triangles", driver.triangles);
  fields.number("joint_density", driver.joint_density, kAtLeastOne);
  fields.number("weld", driver.weld, kNotNegative);
  fields.objects("refine", driver.refine);
  fields.choice("follow", driver.follow, std::span(kFollows));
  fields.flag("estimate_frames", driver.estimate_frames);
  fields.flag("morph_targets", driver.morph_targets);
  fields.objects("key_poses", driver.key_poses);
}

template <class Fields>
void describe(Fields& fields, GroupPair& pair) {
  fields.text("elements", pair.elements);
  fields.text("vertices", pair.vertices);
}

template <class Fields>
void describe(Fields& fields, SurfaceFfdParameters& ffd) {
  fields.choice("mode", ffd.mode, std::span(kModes));
  fields.number("local", ffd.local, kNotNegative);
  fields.number_or("auto", "distance_unit", ffd.distance_unit, kPositive);
  fields.number("distance_scale", ffd.distance_scale, kPositive);
  fields.integer_or("all", "elements", ffd.elements);
  fields.choice("cut", ffd.cut, std::span(kCuts));
  fields.number_or("none", "cut_error", ffd.cut_error, kPositive);
  fields.flag("raise_elements", ffd.raise_elements);
  fields.objects("exclude", ffd.exclude);
  fields.objects("exclusive", ffd.exclusive);
  fields.count_or("none", "max_hops", ffd.max_hops);
  fields.count("fade", ffd.fade);
  fields.object("driver", ffd.driver);
}

template <class Fields>
void describe(Fields&, CurveSkeletonParameters&) {}

template <class Fields>
void describe(Fields& fields, Mask& mask) {
  fields.number("value", mask.value, kUnitInterval);
  describe(fields, mask.region);
}

template <class Fields>
void describe(Fields& fields, Layer& layer) {
  fields.text("target", layer.target);
  fields.refuse(layer.target.empty(), "target", "must name a mesh, or be \"*\"");
  fields.deformer("deformer", "parameters", layer.deformer);
  fields.object("mask", layer.mask);
  fields.number_or("none", "wires", layer.wires, kWiresExponent);
}

template <class Fields>
void describe(Fields& fields, Rig& rig) {
  fields.format("format");
  fields.text("name", rig.name);
  fields.objects("groups", rig.groups);
  fields.require("layers");
  fields.objects("layers", rig.layers);
}

// ---- Reading ----

// The first thing found wrong.
struct Problem {
  std::string source;
  std::optional<Error> error;

  void report(const std::string& pointer, const std::string& what, ErrorCode code = ErrorCode::kInvalidFile) {
    if (!error) error = Error{code, fmt::format("{}: {}: {}", source, pointer.empty() ? "/" : pointer, what)};
  }
};

std::string shortened(std::string text, std::size_t length) {
  if (text.size() > length) text = text.substr(0, length) + "...";
  return text;
}

// As it goes after "is": small values as they stand, others by type.
std::string shown(const Json& value) {
  if (value.is_array()) return "an array";
  if (value.is_object()) return "an object";
  return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace), 40);
}

// RFC 6901.
std::string child(const std::string& pointer, std::string_view key) {
  std::string result = pointer + "/";
  for (const char c : key) result += c == '~' ? std::string("~0") : c == '/' ? std::string("~1") : std::string(1, c);
  return result;
}

// Reads one JSON object. A key that is absent leaves its value, that is the default, as it is.
class Reader {
 public:
  Reader(const Json& object, std::string pointer, Problem& problem)
      : object_(object), pointer_(std::move(pointer)), problem_(problem) {
    if (!object.is_object()) problem_.report(pointer_, "must be an object, is " + shown(object));
  }

  void text(std::string_view key, std::string& value) {
    if (const Json* json = find(key)) read_text(*json, child(pointer_, key), value);
  }

  void texts(std::string_view key, std::vector<std::string>& values) {
    const Json* json = find(key);
    if (json == nullptr || !expect(json->is_array(), key, *json, "an array of strings")) return;
    values.resize(json->size());
    for (std::size_t i = 0; i < json->size(); ++i) {
      read_text((*json)[i], fmt::format("{}/{}", child(pointer_, key), i), values[i]);
    }
  }

  void numbers(std::string_view key, std::vector<float>& values, Range range) {
    if (const Json* json = find(key)) read_numbers(*json, child(pointer_, key), values, range);
  }

  void vector(std::string_view key, glm::vec3& value) {
    if (const Json* json = find(key)) read_vector(*json, child(pointer_, key), value);
  }

  void vectors(std::string_view key, std::vector<glm::vec3>& values) {
    each(key, "an array of [x, y, z]",
         [&](const Json& json, const std::string& pointer) { read_vector(json, pointer, values.emplace_back()); });
  }

  void integers(std::string_view key, std::array<std::uint32_t, 2>& values) {
    const Json* json = find(key);
    if (json == nullptr) return;
    const bool pair = json->is_array() && json->size() == 2 && as_integer((*json)[0]) && as_integer((*json)[1]);
    if (!expect(pair, key, *json, "two integers >= 1")) return;
    values = {*as_integer((*json)[0]), *as_integer((*json)[1])};
  }

  // Each an index, or [first, last].
  void ranges(std::string_view key, std::vector<IndexRange>& values) {
    each(key, "an array of indices and [first, last]", [&](const Json& json, const std::string& pointer) {
      const bool pair = json.is_array() && json.size() == 2;
      const auto first = as_count(pair ? json[0] : json);
      const auto last = as_count(pair ? json[1] : json);
      if (!first || !last) {
        problem_.report(pointer, "must be an index or [first, last], is " + shown(json));
      } else {
        values.push_back({*first, *last});
      }
    });
  }

  // Each [vertex, x, y, z].
  void offsets(std::string_view key, std::vector<VertexOffset>& values) {
    each(key, "an array of [vertex, x, y, z]", [&](const Json& json, const std::string& pointer) {
      const bool whole = json.is_array() && json.size() == 4 && as_count(json[0]);
      if (!whole) return problem_.report(pointer, "must be [vertex, x, y, z], is " + shown(json));
      VertexOffset& value = values.emplace_back();
      value.vertex = *as_count(json[0]);
      read_vector(Json::array({json[1], json[2], json[3]}), pointer, value.offset);
    });
  }

  void flag(std::string_view key, bool& value) {
    const Json* json = find(key);
    if (json != nullptr && expect(json->is_boolean(), key, *json, "true or false")) value = json->get<bool>();
  }

  void number(std::string_view key, float& value, Range range) {
    if (const Json* json = find(key)) {
      if (const auto read = as_number(*json, range); expect(read.has_value(), key, *json, range.text)) value = *read;
    }
  }

  void number_or(std::string_view word, std::string_view key, std::optional<float>& value, Range range) {
    const Json* json = find(key);
    if (json == nullptr) return;
    value = as_number(*json, range);
    expect(value || *json == word, key, *json, fmt::format("{} or \"{}\"", range.text, word));
  }

  void integer(std::string_view key, std::uint32_t& value) {
    if (const Json* json = find(key)) {
      if (const auto read = as_integer(*json); expect(read.has_value(), key, *json, kIntegerText)) value = *read;
    }
  }

  // `word` stands for 0.
  void integer_or(std::string_view word, std::string_view key, std::uint32_t& value) {
    const Json* json = find(key);
    if (json == nullptr) return;
    value = as_integer(*json).value_or(0);
    expect(value != 0 || *json == word, key, *json, fmt::format("{} or \"{}\"", kIntegerText, word));
  }

  // An integer >= 0.
  void count(std::string_view key, std::uint32_t& value) {
    if (const Json* json = find(key)) {
      if (const auto read = as_count(*json); expect(read.has_value(), key, *json, kCountText)) value = *read;
    }
  }

  void count_or(std::string_view word, std::string_view key, std::optional<std::uint32_t>& value) {
    const Json* json = find(key);
    if (json == nullptr) return;
    value = as_count(*json);
    expect(value || *json == word, key, *json, fmt::format("{} or \"{}\"", kCountText, word));
  }

  template <class E, std::size_t n>
  void choice(std::string_view key, E& value, std::span<const Choice<E>, n> choices) {
    const Json* json = find(key);
    if (json == nullptr) return;
    std::vector<std::string_view> names;
    for (const Choice<E>& choice : choices) {
      if (*json == choice.name) value = choice.value;
      names.push_back(choice.name);
    }
    expect_name(key, *json, names);
  }

  template <class T>
  void object(std::string_view key, T& value) {
    if (const Json* json = find(key)) read_object(*json, child(pointer_, key), value);
  }

  template <class T>
  void optional_object(std::string_view key, std::optional<T>& value) {
    if (const Json* json = find(key)) read_object(*json, child(pointer_, key), value.emplace());
  }

  template <class T>
  void objects(std::string_view key, std::vector<T>& values) {
    each(key, "an array",
         [&](const Json& json, const std::string& pointer) { read_object(json, pointer, values.emplace_back()); });
  }

  const Json* require(std::string_view key) {
    const Json* json = find(key);
    if (json == nullptr) problem_.report(pointer_, fmt::format("the key '{}' is missing", key));
    return json;
  }

  void deformer(std::string_view name_key, std::string_view parameters_key, DeformerParameters& value) {
    const Json* name = require(name_key);
    const Json* parameters = find(parameters_key);
    if (name == nullptr) return;
    std::vector<std::string_view> names;
    for (const DeformerEntry& entry : deformers()) {
      if (*name == entry.name) value = entry.defaults;
      names.push_back(entry.name);
    }
    if (!expect_name(name_key, *name, names) || parameters == nullptr) return;
    std::visit([&](auto& own) { read_object(*parameters, child(pointer_, parameters_key), own); }, value);
  }

  void format(std::string_view key) {
    const Json* json = require(key);
    if (json == nullptr || *json == kFormat) return;
    const bool other_version = json->is_string() && json->get_ref<const std::string&>().starts_with(kFormatFamily);
    problem_.report(child(pointer_, key),
                    fmt::format("must be \"{}\"{}, is {}", kFormat,
                                other_version ? ", the only version that this program reads" : "", shown(*json)),
                    other_version ? ErrorCode::kUnsupported : ErrorCode::kInvalidFile);
  }

  void refuse(bool wrong, std::string_view key, const char* why) {
    if (wrong) problem_.report(child(pointer_, key), why);
  }

  // Refuses the keys that nobody asked for; after all others.
  void finish() {
    for (const auto& [key, value] : object_.items()) {
      if (problem_.error) return;
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      const std::string hint =
          known_.empty() ? "; there are none here" : fmt::format("; did you mean '{}'?", nearest_name(key, known_));
      problem_.report(child(pointer_, shortened(key, 64)), fmt::format("unknown key '{}'{}", shortened(key, 64), hint));
    }
  }

 private:
  static constexpr std::string_view kIntegerText = "an integer from 1 to 4294967295";
  static constexpr std::string_view kCountText = "an integer from 0 to 4294967295";

  const Json* find(std::string_view key) {
    known_.push_back(key);
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  // read(json, pointer) for each entry of an array, until one is wrong.
  template <class Read>
  void each(std::string_view key, std::string_view what, const Read& read) {
    const Json* json = find(key);
    if (json == nullptr || !expect(json->is_array(), key, *json, what)) return;
    for (std::size_t i = 0; i < json->size() && !problem_.error; ++i) {
      read((*json)[i], fmt::format("{}/{}", child(pointer_, key), i));
    }
  }

  bool expect(bool right, std::string_view key, const Json& json, std::string_view what) {
    if (!right) problem_.report(child(pointer_, key), fmt::format("must be {}, is {}", what, shown(json)));
    return right;
  }

  bool expect_name(std::string_view key, const Json& json, std::span<const std::string_view> names) {
    const std::string list = fmt::format("one of \"{}\"", fmt::join(names, "\", \""));
    if (!expect(json.is_string(), key, json, list)) return false;
    const std::string& name = json.get_ref<const std::string&>();
    if (std::find(names.begin(), names.end(), name) != names.end()) return true;
    problem_.report(child(pointer_, key), fmt::format("must be {}, is {}; did you mean \"{}\"?", list, shown(json),
                                                      nearest_name(name, names)));
    return false;
  }

  void read_text(const Json& json, const std::string& pointer, std::string& value) {
    if (json.is_string()) {
      value = json.get<std::string>();
    } else {
      problem_.report(pointer, "must be a string, is " + shown(json));
    }
  }

  void read_numbers(const Json& json, const std::string& pointer, std::vector<float>& values, Range range) {
    if (!json.is_array()) return problem_.report(pointer, "must be an array of numbers, is " + shown(json));
    values.clear();
    for (std::size_t i = 0; i < json.size() && !problem_.error; ++i) {
      const std::optional<float> value = as_number(json[i], range);
      if (!value) {
        problem_.report(fmt::format("{}/{}", pointer, i), fmt::format("must be {}, is {}", range.text, shown(json[i])));
      }
      values.push_back(value.value_or(0.0f));
    }
  }

  void read_vector(const Json& json, const std::string& pointer, glm::vec3& value) {
    std::vector<float> numbers;
    read_numbers(json, pointer, numbers, kAnyNumber);
    if (problem_.error) return;
    if (numbers.size() != 3) return problem_.report(pointer, "must be [x, y, z], is " + shown(json));
    value = {numbers[0], numbers[1], numbers[2]};
  }

  template <class T>
  void read_object(const Json& json, std::string pointer, T& value) {
    Reader reader(json, std::move(pointer), problem_);
    describe(reader, value);
    reader.finish();
  }

  static std::optional<float> as_number(const Json& json, Range range) {
    if (!json.is_number()) return std::nullopt;
    const double value = json.get<double>();
    if (std::abs(value) > std::numeric_limits<float>::max()) return std::nullopt;
    const float narrow = static_cast<float>(value);
    return range.contains(narrow) ? std::optional(narrow) : std::nullopt;
  }

  // 2000.0 is an integer too, as JSON Schema has it.
  static std::optional<std::uint32_t> as_count(const Json& json) {
    if (!json.is_number()) return std::nullopt;
    const double value = json.get<double>();
    if (value < 0 || value > std::numeric_limits<std::uint32_t>::max() || value != std::floor(value)) {
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(value);
  }

  static std::optional<std::uint32_t> as_integer(const Json& json) {
    const std::optional<std::uint32_t> count = as_count(json);
    return count && *count > 0 ? count : std::nullopt;
  }

  const Json& object_;
  std::string pointer_;
  Problem& problem_;
  std::vector<std::string_view> known_;
};

// Where brackets nest deeper than kMaxDepth, if they do: found before the parser builds anything.
std::optional<std::size_t> too_deep(std::string_view json) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return i;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

std::string place(std::string_view json, std::size_t offset) {
  const std::string_view before = json.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 where there is no newline
  return fmt::format("line {}, column {}", 1 + std::count(before.begin(), before.end(), '\n'),
                     1 + before.size() - line_start);
}

// Characters for the parser, which tells how far it has come by itself only in syntax errors.
struct TracedCharacter {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** reached;

  reference operator*() const { return *at; }
  TracedCharacter& operator++() {
    *reached = ++at;
    return *this;
  }
  friend bool operator==(TracedCharacter a, TracedCharacter b) { return a.at == b.at; }
};

// Finds the key that is given twice in an object: the parser keeps the last of them without a word.
class KeyWatch {
 public:
  // Whether this is such a key.
  bool see(Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    return event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second;
  }

 private:
  std::vector<std::set<std::string>> keys_;  // of the objects that are open
};

// Syntax only.
Result<Json> parse_json(std::string_view json, const std::string& source) {
  if (json.size() > kMaxBytes) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: {} bytes, more than the limit of {}", source, json.size(), kMaxBytes));
  }
  if (const auto at = too_deep(json)) {
    return fail(ErrorCode::kInvalidFile,
                fmt::format("{}: {}: nested deeper than {}", source, place(json, *at), kMaxDepth));
  }
  const char* reached = json.data();
  KeyWatch keys;
  std::optional<std::string> twice;
  const auto watch = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (keys.see(event, parsed) && !twice) {
      twice = fmt::format("{}: the key '{}' is given twice", place(json, reached - json.data()),
                          shortened(parsed.get<std::string>(), 64));
    }
    return true;
  };
  try {
    Json parsed = Json::parse(TracedCharacter{json.data(), &reached},
                              TracedCharacter{json.data() + json.size(), &reached}, watch);
    if (twice) return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}", source, *twice));
    return parsed;
  } catch (const Json::exception& error) {
    // A syntax error says "[json.exception.parse_error.101] parse error at line 1, column 2: what", others only what.
    const std::string what = error.what();
    const std::size_t end_of_place = error.id == 101 ? what.find(": ") + 2 : what.find("] ") + 2;
    return fail(ErrorCode::kInvalidFile, fmt::format("{}: {}: {}", source, place(json, reached - json.data()),
                                                     shortened(what.substr(end_of_place), 300)));
  }
}

// ---- Writing ----

// The double whose shortest text is the float's shortest text: 0.1f is written as 0.1, and reads back as 0.1f.
double shortest(float value) {
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, value);
  double result = 0;
  std::from_chars(text, written.ptr, result);
  constexpr double kLargest = std::numeric_limits<float>::max();  // its shortest text is a larger double
  return std::clamp(result, -kLargest, kLargest);
}

class Writer {
 public:
  explicit Writer(OrderedJson& object) : object_(object) { object_ = OrderedJson::object(); }

  void text(const char* key, const std::string& value) { object_[key] = value; }
  void texts(const char* key, const std::vector<std::string>& values) { object_[key] = values; }
  void numbers(const char* key, const std::vector<float>& values, Range) {
    OrderedJson& array = object_[key] = OrderedJson::array();
    for (const float value : values) array.push_back(shortest(value));
  }
  void vector(const char* key, const glm::vec3& value) { object_[key] = to_json(value); }
  void vectors(const char* key, const std::vector<glm::vec3>& values) {
    OrderedJson& array = object_[key] = OrderedJson::array();
    for (const glm::vec3& value : values) array.push_back(to_json(value));
  }
  void integers(const char* key, const std::array<std::uint32_t, 2>& values) { object_[key] = values; }
  void ranges(const char* key, const std::vector<IndexRange>& values) {
    OrderedJson& array = object_[key] = OrderedJson::array();
    for (const IndexRange& range : values) {
      array.push_back(range.first == range.last ? OrderedJson(range.first) : OrderedJson({range.first, range.last}));
    }
  }
  void offsets(const char* key, const std::vector<VertexOffset>& values) {
    OrderedJson& array = object_[key] = OrderedJson::array();
    for (const VertexOffset& value : values) {
      array.push_back({value.vertex, shortest(value.offset.x), shortest(value.offset.y), shortest(value.offset.z)});
    }
  }
  void flag(const char* key, bool value) { object_[key] = value; }
  void number(const char* key, float value, Range) { object_[key] = shortest(value); }
  void number_or(const char* word, const char* key, std::optional<float> value, Range range) {
    if (value) return number(key, *value, range);
    object_[key] = word;
  }
  void integer(const char* key, std::uint32_t value) { object_[key] = value; }
  void integer_or(const char* word, const char* key, std::uint32_t value) {
    if (value != 0) return integer(key, value);
    object_[key] = word;
  }
  void count(const char* key, std::uint32_t value) { object_[key] = value; }
  void count_or(const char* word, const char* key, std::optional<std::uint32_t> value) {
    if (value) return count(key, *value);
    object_[key] = word;
  }
  template <class E, std::size_t n>
  void choice(const char* key, E value, std::span<const Choice<E>, n> choices) {
    for (const Choice<E>& choice : choices) {
      if (choice.value == value) object_[key] = choice.name;
    }
  }
  template <class T>
  void object(const char* key, T& value) {
    Writer writer(object_[key]);
    describe(writer, value);
  }
  template <class T>
  void optional_object(const char* key, std::optional<T>& value) {
    if (value) object(key, *value);
  }
  template <class T>
  void objects(const char* key, std::vector<T>& values) {
    OrderedJson& array = object_[key] = OrderedJson::array();
    for (T& value : values) {
      Writer writer(array.emplace_back());
      describe(writer, value);
    }
  }
  void deformer(const char* name_key, const char* parameters_key, DeformerParameters& value) {
    object_[name_key] = deformer_name(value);
    std::visit([&](auto& own) { object(parameters_key, own); }, value);
  }
  void format(const char* key) { object_[key] = kFormat; }
  void refuse(bool, const char*, const char*) {}
  void require(const char*) {}

 private:
  static OrderedJson to_json(const glm::vec3& value) {
    return {shortest(value.x), shortest(value.y), shortest(value.z)};
  }

  OrderedJson& object_;
};

}  // namespace

Result<Rig> parse_rig(std::string_view json, const std::string& source) {
  const Result<Json> parsed = parse_json(json, source);
  if (!parsed) return tl::unexpected(parsed.error());
  Problem problem{source, std::nullopt};
  Rig rig;
  Reader reader(*parsed, "", problem);
  describe(reader, rig);
  reader.finish();
  if (problem.error) return tl::unexpected(*std::move(problem.error));
  return rig;
}

Result<Rig> load_rig(const std::filesystem::path& path) {
  const auto bytes = read_file(path, kMaxBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  Result<Rig> rig =
      parse_rig(std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()), path.string());
  if (rig) rig->directory = path.parent_path().string();
  return rig;
}

std::string format_rig(const Rig& rig) {
  Rig copy = rig;  // describe reads into its argument as well as from it
  OrderedJson json;
  Writer writer(json);
  describe(writer, copy);
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace pelt
