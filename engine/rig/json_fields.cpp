// SPDX-License-Identifier: MIT
#include "engine/rig/json_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

#include <pelt/deformers.h>

namespace pelt::json_fields {
namespace {

constexpr std::size_t kMaxDepth = 32;  // a rig needs 11
constexpr std::string_view kCountText = "an integer from 0 to 4294967295";
constexpr Range kAnyNumber{"a number", [](float) { return true; }};

std::string integer_text(std::uint32_t most) { return fmt::format("an integer from 1 to {}", most); }

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

std::optional<float> as_number(const Json& json, Range range) {
  if (!json.is_number()) return std::nullopt;
  const double value = json.get<double>();
  if (std::abs(value) > std::numeric_limits<float>::max()) return std::nullopt;
  const float narrow = static_cast<float>(value);
  return range.contains(narrow) ? std::optional(narrow) : std::nullopt;
}

// 2000.0 is an integer too, as JSON Schema has it.
std::optional<std::uint32_t> as_count(const Json& json) {
  if (!json.is_number()) return std::nullopt;
  const double value = json.get<double>();
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max() || value != std::floor(value)) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(value);
}

std::optional<std::uint32_t> as_integer(const Json& json) {
  const std::optional<std::uint32_t> count = as_count(json);
  return count && *count > 0 ? count : std::nullopt;
}

// The double whose shortest text is the float's shortest text: 0.1f is written as 0.1, and reads back as 0.1f.
double shortest(float value) {
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, value);
  double result = 0;
  std::from_chars(text, written.ptr, result);
  constexpr double kLargest = std::numeric_limits<float>::max();  // its shortest text is a larger double
  return std::clamp(result, -kLargest, kLargest);
}

OrderedJson to_json(const glm::vec3& value) { return {shortest(value.x), shortest(value.y), shortest(value.z)}; }

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

}  // namespace

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

std::string child(const std::string& pointer, std::string_view key) {
  std::string result = pointer + "/";
  for (const char c : key) result += c == '~' ? std::string("~0") : c == '/' ? std::string("~1") : std::string(1, c);
  return result;
}

// ---- Reading ----

Reader::Reader(const Json& object, std::string pointer, Problem& problem)
    : object_(object), pointer_(std::move(pointer)), problem_(problem) {
  if (!object.is_object()) problem_.report(pointer_, "must be an object, is " + shown(object));
}

void Reader::text(std::string_view key, std::string& value) {
  if (const Json* json = find(key)) read_text(*json, child(pointer_, key), value);
}

void Reader::texts(std::string_view key, std::vector<std::string>& values) {
  const Json* json = find(key);
  if (json == nullptr || !expect(json->is_array(), key, *json, "an array of strings")) return;
  values.resize(json->size());
  for (std::size_t i = 0; i < json->size(); ++i) {
    read_text((*json)[i], fmt::format("{}/{}", child(pointer_, key), i), values[i]);
  }
}

void Reader::numbers(std::string_view key, std::vector<float>& values, Range range) {
  if (const Json* json = find(key)) read_numbers(*json, child(pointer_, key), values, range);
}

void Reader::vector(std::string_view key, glm::vec3& value) {
  if (const Json* json = find(key)) read_vector(*json, child(pointer_, key), value);
}

void Reader::vector(std::string_view key, glm::vec2& value) {
  const Json* json = find(key);
  if (json == nullptr) return;
  std::vector<float> numbers;
  read_numbers(*json, child(pointer_, key), numbers, kAnyNumber);
  if (problem_.error || !expect(numbers.size() == 2, key, *json, "[x, z]")) return;
  value = {numbers[0], numbers[1]};
}

void Reader::vector_or(std::string_view word, std::string_view key, std::optional<glm::vec3>& value) {
  const Json* json = find(key);
  if (json == nullptr) return;
  value.reset();
  if (json->is_array()) return read_vector(*json, child(pointer_, key), value.emplace());
  expect(*json == word, key, *json, fmt::format("[x, y, z] or \"{}\"", word));
}

void Reader::vectors(std::string_view key, std::vector<glm::vec3>& values) {
  each(key, "an array of [x, y, z]",
       [&](const Json& json, const std::string& pointer) { read_vector(json, pointer, values.emplace_back()); });
}

void Reader::integers(std::string_view key, std::array<std::uint32_t, 2>& values) {
  const Json* json = find(key);
  if (json == nullptr) return;
  const bool pair = json->is_array() && json->size() == 2 && as_integer((*json)[0]) && as_integer((*json)[1]);
  if (!expect(pair, key, *json, "two integers >= 1")) return;
  values = {*as_integer((*json)[0]), *as_integer((*json)[1])};
}

void Reader::ranges(std::string_view key, std::vector<IndexRange>& values) {
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

void Reader::offsets(std::string_view key, std::vector<VertexOffset>& values) {
  each(key, "an array of [number, x, y, z]", [&](const Json& json, const std::string& pointer) {
    const bool whole = json.is_array() && json.size() == 4 && as_count(json[0]);
    if (!whole) return problem_.report(pointer, "must be [number, x, y, z], is " + shown(json));
    VertexOffset& value = values.emplace_back();
    value.vertex = *as_count(json[0]);
    read_vector(Json::array({json[1], json[2], json[3]}), pointer, value.offset);
  });
}

void Reader::keys(std::string_view key, std::vector<CurveKey>& values, Range at, Range value) {
  const Json* json = find(key);
  if (json == nullptr || !expect(json->is_array(), key, *json, "an array of [at, value]")) return;
  read_keys(*json, child(pointer_, key), values, at, value);
}

void Reader::keys_or(std::string_view word, std::string_view key, std::vector<CurveKey>& values, Range at,
                     Range value) {
  const Json* json = find(key);
  if (json == nullptr) return;
  if (json->is_array() && !json->empty()) return read_keys(*json, child(pointer_, key), values, at, value);
  values.clear();
  const std::optional<float> constant = as_number(*json, value);
  if (constant) values = {{0.0f, *constant}};
  expect(constant || *json == word, key, *json,
         fmt::format("{}, one or more [at, value], or \"{}\"", value.text, word));
}

void Reader::flag(std::string_view key, bool& value) {
  const Json* json = find(key);
  if (json != nullptr && expect(json->is_boolean(), key, *json, "true or false")) value = json->get<bool>();
}

void Reader::number(std::string_view key, float& value, Range range) {
  if (const Json* json = find(key)) {
    if (const auto read = as_number(*json, range); expect(read.has_value(), key, *json, range.text)) value = *read;
  }
}

void Reader::number_or(std::string_view word, std::string_view key, std::optional<float>& value, Range range) {
  const Json* json = find(key);
  if (json == nullptr) return;
  value = as_number(*json, range);
  expect(value || *json == word, key, *json, fmt::format("{} or \"{}\"", range.text, word));
}

void Reader::integer(std::string_view key, std::uint32_t& value, std::uint32_t most) {
  if (const Json* json = find(key)) {
    const std::uint32_t read = as_integer(*json).value_or(0);
    if (expect(read > 0 && read <= most, key, *json, integer_text(most))) value = read;
  }
}

void Reader::integer_or(std::string_view word, std::string_view key, std::uint32_t& value) {
  const Json* json = find(key);
  if (json == nullptr) return;
  value = as_integer(*json).value_or(0);
  expect(value != 0 || *json == word, key, *json, fmt::format("{} or \"{}\"", integer_text(kMostInteger), word));
}

void Reader::integer_or(std::string_view word, std::string_view zero_word, std::string_view key,
                        std::optional<std::uint32_t>& value) {
  const Json* json = find(key);
  if (json == nullptr) return;
  value.reset();
  if (*json == word) return;
  value = as_integer(*json).value_or(0);
  expect(value != 0u || *json == zero_word, key, *json,
         fmt::format("{}, \"{}\" or \"{}\"", integer_text(kMostInteger), zero_word, word));
}

void Reader::count(std::string_view key, std::uint32_t& value) {
  if (const Json* json = find(key)) {
    if (const auto read = as_count(*json); expect(read.has_value(), key, *json, kCountText)) value = *read;
  }
}

void Reader::count_or(std::string_view word, std::string_view key, std::optional<std::uint32_t>& value) {
  const Json* json = find(key);
  if (json == nullptr) return;
  value = as_count(*json);
  expect(value || *json == word, key, *json, fmt::format("{} or \"{}\"", kCountText, word));
}

const Json* Reader::require(std::string_view key) {
  const Json* json = find(key);
  if (json == nullptr) problem_.report(pointer_, fmt::format("the key '{}' is missing", key));
  return json;
}

void Reader::format(std::string_view key, std::string_view format, std::string_view family) {
  const Json* json = require(key);
  if (json == nullptr || *json == format) return;
  const bool other_version = json->is_string() && json->get_ref<const std::string&>().starts_with(family);
  problem_.report(child(pointer_, key),
                  fmt::format("must be \"{}\"{}, is {}", format,
                              other_version ? ", the only version that this program reads" : "", shown(*json)),
                  other_version ? ErrorCode::kUnsupported : ErrorCode::kInvalidFile);
}

void Reader::finish() {
  for (const auto& [key, value] : object_.items()) {
    if (problem_.error) return;
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    problem_.report(child(pointer_, shortened(key, 64)),
                    fmt::format("unknown key '{}'; did you mean '{}'?", shortened(key, 64), nearest_name(key, known_)));
  }
}

const Json* Reader::find(std::string_view key) {
  known_.push_back(key);
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

bool Reader::expect(bool right, std::string_view key, const Json& json, std::string_view what) {
  if (!right) problem_.report(child(pointer_, key), fmt::format("must be {}, is {}", what, shown(json)));
  return right;
}

bool Reader::expect_name(std::string_view key, const Json& json, std::span<const std::string_view> names) {
  const std::string list = fmt::format("one of \"{}\"", fmt::join(names, "\", \""));
  if (!expect(json.is_string(), key, json, list)) return false;
  const std::string& name = json.get_ref<const std::string&>();
  if (std::find(names.begin(), names.end(), name) != names.end()) return true;
  problem_.report(child(pointer_, key),
                  fmt::format("must be {}, is {}; did you mean \"{}\"?", list, shown(json), nearest_name(name, names)));
  return false;
}

void Reader::read_text(const Json& json, const std::string& pointer, std::string& value) {
  if (json.is_string()) {
    value = json.get<std::string>();
  } else {
    problem_.report(pointer, "must be a string, is " + shown(json));
  }
}

float Reader::read_number(const Json& json, const std::string& pointer, Range range) {
  const std::optional<float> value = as_number(json, range);
  if (!value) problem_.report(pointer, fmt::format("must be {}, is {}", range.text, shown(json)));
  return value.value_or(0.0f);
}

void Reader::read_numbers(const Json& json, const std::string& pointer, std::vector<float>& values, Range range) {
  if (!json.is_array()) return problem_.report(pointer, "must be an array of numbers, is " + shown(json));
  values.clear();
  for (std::size_t i = 0; i < json.size() && !problem_.error; ++i) {
    values.push_back(read_number(json[i], fmt::format("{}/{}", pointer, i), range));
  }
}

void Reader::read_vector(const Json& json, const std::string& pointer, glm::vec3& value) {
  std::vector<float> numbers;
  read_numbers(json, pointer, numbers, kAnyNumber);
  if (problem_.error) return;
  if (numbers.size() != 3) return problem_.report(pointer, "must be [x, y, z], is " + shown(json));
  value = {numbers[0], numbers[1], numbers[2]};
}

void Reader::read_keys(const Json& json, const std::string& pointer, std::vector<CurveKey>& values, Range at,
                       Range value) {
  values.clear();
  for (std::size_t i = 0; i < json.size() && !problem_.error; ++i) {
    const std::string place = fmt::format("{}/{}", pointer, i);
    if (!json[i].is_array() || json[i].size() != 2) {
      return problem_.report(place, "must be [at, value], is " + shown(json[i]));
    }
    const CurveKey key{read_number(json[i][0], place + "/0", at), read_number(json[i][1], place + "/1", value)};
    if (!values.empty() && key.at <= values.back().at) {
      problem_.report(place + "/0", fmt::format("must be above {}, where the key before it is", values.back().at));
    }
    values.push_back(key);
  }
}

// ---- Writing ----

void Writer::numbers(const char* key, const std::vector<float>& values, Range) {
  OrderedJson& array = object_[key] = OrderedJson::array();
  for (const float value : values) array.push_back(shortest(value));
}

void Writer::vector(const char* key, const glm::vec3& value) { object_[key] = to_json(value); }

void Writer::vector(const char* key, const glm::vec2& value) {
  object_[key] = OrderedJson::array({shortest(value.x), shortest(value.y)});
}

void Writer::vectors(const char* key, const std::vector<glm::vec3>& values) {
  OrderedJson& array = object_[key] = OrderedJson::array();
  for (const glm::vec3& value : values) array.push_back(to_json(value));
}

void Writer::ranges(const char* key, const std::vector<IndexRange>& values) {
  OrderedJson& array = object_[key] = OrderedJson::array();
  for (const IndexRange& range : values) {
    array.push_back(range.first == range.last ? OrderedJson(range.first) : OrderedJson({range.first, range.last}));
  }
}

void Writer::offsets(const char* key, const std::vector<VertexOffset>& values) {
  OrderedJson& array = object_[key] = OrderedJson::array();
  for (const VertexOffset& value : values) {
    array.push_back({value.vertex, shortest(value.offset.x), shortest(value.offset.y), shortest(value.offset.z)});
  }
}

void Writer::keys(const char* key, const std::vector<CurveKey>& values, Range, Range) {
  OrderedJson& array = object_[key] = OrderedJson::array();
  for (const CurveKey& value : values) array.push_back({shortest(value.at), shortest(value.value)});
}

void Writer::keys_or(const char* word, const char* key, const std::vector<CurveKey>& values, Range at, Range value) {
  if (values.empty()) {
    object_[key] = word;
  } else if (values.size() == 1 && values[0].at == 0) {
    number(key, values[0].value, value);
  } else {
    keys(key, values, at, value);
  }
}

void Writer::number(const char* key, float value, Range) { object_[key] = shortest(value); }

}  // namespace pelt::json_fields
