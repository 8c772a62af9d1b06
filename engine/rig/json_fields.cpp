// SPDX-License-Identifier: MIT
#include "engine/rig/json_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

#include <pelt/curve_keys.h>
#include <pelt/deformer_parameters.h>
#include <pelt/nearest_name.h>
#include <pelt/selection.h>

#include "engine/rig/deformer_entry.h"

namespace pelt::json_fields {
namespace {

constexpr std::size_t kMaxDepth = 32;  // a rig needs 11

std::string shortened(std::string text, std::size_t length) {
  if (text.size() > length) text = text.substr(0, length) + "...";
  return text;
}

// Formats a value to follow "is": small values as they are, others by type.
std::string shown(const Json& value) {
  if (value.is_array()) return "an array";
  if (value.is_object()) return "an object";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace), 40);
}

std::optional<float> as_number(const Json& json, Range range) {
  if (!json.is_number()) return std::nullopt;
  const double value = json.get<double>();
  if (std::abs(value) > std::numeric_limits<float>::max()) return std::nullopt;
  const float narrow = static_cast<float>(value);
  return contains(range, narrow) ? std::optional(narrow) : std::nullopt;
}

// Accepts 2000.0 as an integer, as JSON Schema does.
std::optional<std::uint32_t> as_count(const Json& json) {
  if (!json.is_number()) return std::nullopt;
  const double value = json.get<double>();
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max() || value != std::floor(value)) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(value);
}

std::optional<std::uint32_t> as_integer(const Json& json, IntegerRange range) {
  const std::optional<std::uint32_t> count = as_count(json);
  return count && *count >= range.least && *count <= range.most ? count : std::nullopt;
}

OrderedJson to_json(const glm::vec3& value) { return {shortest(value.x), shortest(value.y), shortest(value.z)}; }

// Returns the offset at which brackets nest deeper than kMaxDepth, before the parser builds anything; none if they do
// not.
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
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 if there is no newline
  return fmt::format("line {}, column {}", 1 + std::count(before.begin(), before.end(), '\n'),
                     1 + before.size() - line_start);
}

// An iterator that records how far the parser has come; by itself the parser says so only in syntax errors.
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

// Finds keys that are given twice in an object, of which the parser silently keeps the last.
class KeyWatch {
 public:
  // Returns true if the event is a key that its object already has.
  bool see(Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    return event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second;
  }

 private:
  std::vector<std::set<std::string>> keys_;  // of each open object
};

}  // namespace

double shortest(float value) {
  if (!std::isfinite(value)) return value;
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, value);
  double result = 0;
  std::from_chars(text, written.ptr, result);
  constexpr double kMax = std::numeric_limits<float>::max();  // whose shortest text is a larger double
  return std::clamp(result, -kMax, kMax);
}

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

void Reader::flag(const Field& field, bool& value) {
  const Json* json = find(field);
  if (json == nullptr || !expect(json->is_boolean(), field.name, *json, "true or false")) return;
  const bool before = std::exchange(value, json->get<bool>());
  settle(field, value == before);
}

void Reader::number(const Field& field, float& value, Range range) {
  const Json* json = find(field);
  if (json == nullptr) return;
  const std::optional<float> read = as_number(*json, range);
  if (!expect(read.has_value(), field.name, *json, text_of(range))) return;
  const float before = std::exchange(value, *read);
  settle(field, value == before);
}

void Reader::number_or(const Field& field, std::string_view word, std::optional<float>& value, Range range) {
  const Json* json = find(field);
  if (json == nullptr) return;
  const std::optional<float> before = std::exchange(value, as_number(*json, range));
  if (!expect(value || *json == word, field.name, *json, fmt::format("{} or \"{}\"", text_of(range), word))) return;
  settle(field, value == before);
}

void Reader::integer(const Field& field, std::uint32_t& value, IntegerRange range, std::string_view zero_word) {
  const Json* json = find(field);
  if (json == nullptr) return;
  const std::optional<std::uint32_t> read = as_integer(*json, range);
  const bool zero = !zero_word.empty() && *json == zero_word;
  std::string text = text_of(range);
  if (!zero_word.empty()) text += fmt::format(" or \"{}\"", zero_word);
  if (!expect(read || zero, field.name, *json, text)) return;
  const std::uint32_t before = std::exchange(value, read.value_or(0));
  settle(field, value == before);
}

void Reader::integer_or(const Field& field, std::string_view word, std::optional<std::uint32_t>& value,
                        IntegerRange range, std::string_view zero_word) {
  const Json* json = find(field);
  if (json == nullptr) return;
  const std::optional<std::uint32_t> before = value;
  const bool zero = !zero_word.empty() && *json == zero_word;
  value = zero ? 0 : as_integer(*json, range);
  const std::string text = zero_word.empty() ? fmt::format("{} or \"{}\"", text_of(range), word)
                                             : fmt::format("{}, \"{}\" or \"{}\"", text_of(range), zero_word, word);
  if (!expect(value || *json == word, field.name, *json, text)) return;
  settle(field, value == before);
}

void Reader::text(const Field& field, std::string& value, Names) {
  const Json* json = find(field);
  if (json == nullptr) return;
  const std::string before = value;
  read_text(*json, child(pointer_, field.name), value);
  settle(field, value == before);
}

void Reader::name(const Field& field, std::string& value, Names names) {
  text(field, value, names);
  refuse(value.empty(), field.name, "must not be empty");
}

void Reader::texts(const Field& field, std::vector<std::string>& values, Names) {
  const Json* json = find(field);
  if (json == nullptr || !expect(json->is_array(), field.name, *json, "an array of strings")) return;
  values.resize(json->size());
  for (std::size_t i = 0; i < json->size(); ++i) {
    read_text((*json)[i], fmt::format("{}/{}", child(pointer_, field.name), i), values[i]);
  }
}

void Reader::numbers(const Field& field, std::vector<float>& values, Range range) {
  if (const Json* json = find(field)) read_numbers(*json, child(pointer_, field.name), values, range);
}

void Reader::vector(const Field& field, glm::vec3& value, Range range) {
  const Json* json = find(field);
  if (json == nullptr) return;
  const glm::vec3 before = value;
  read_vector(*json, child(pointer_, field.name), value, range);
  settle(field, value == before);
}

void Reader::vector(const Field& field, glm::vec2& value, Range range) {
  const Json* json = find(field);
  if (json == nullptr) return;
  std::vector<float> numbers;
  read_numbers(*json, child(pointer_, field.name), numbers, range);
  if (problem_.error || !expect(numbers.size() == 2, field.name, *json, "two numbers")) return;
  value = {numbers[0], numbers[1]};
}

void Reader::vector_or(const Field& field, std::string_view word, std::optional<glm::vec3>& value) {
  const Json* json = find(field);
  if (json == nullptr) return;
  const std::optional<glm::vec3> before = std::exchange(value, std::nullopt);
  if (json->is_array()) {
    read_vector(*json, child(pointer_, field.name), value.emplace());
  } else {
    expect(*json == word, field.name, *json, fmt::format("[x, y, z] or \"{}\"", word));
  }
  settle(field, value == before);
}

void Reader::vectors(const Field& field, std::vector<glm::vec3>& values) {
  each(field, "an array of [x, y, z]",
       [&](const Json& json, const std::string& pointer) { read_vector(json, pointer, values.emplace_back()); });
}

void Reader::integers(const Field& field, std::array<std::uint32_t, 2>& values) {
  const Json* json = find(field);
  if (json == nullptr) return;
  const bool pair = json->is_array() && json->size() == 2 && as_integer((*json)[0], {}) && as_integer((*json)[1], {});
  if (!expect(pair, field.name, *json, "two integers >= 1")) return;
  values = {*as_integer((*json)[0], {}), *as_integer((*json)[1], {})};
}

void Reader::ranges(const Field& field, std::vector<IndexRange>& values) {
  each(field, "an array of indices and [first, last]", [&](const Json& json, const std::string& pointer) {
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

void Reader::offsets(const Field& field, std::vector<VertexOffset>& values) {
  each(field, "an array of [number, x, y, z]", [&](const Json& json, const std::string& pointer) {
    const bool whole = json.is_array() && json.size() == 4 && as_count(json[0]);
    if (!whole) return problem_.report(pointer, "must be [number, x, y, z], is " + shown(json));
    VertexOffset& value = values.emplace_back();
    value.vertex = *as_count(json[0]);
    read_vector(Json::array({json[1], json[2], json[3]}), pointer, value.offset);
  });
}

void Reader::keys(const Field& field, std::vector<CurveKey>& values, Range at, Range value) {
  const Json* json = find(field);
  if (json == nullptr || !expect(json->is_array(), field.name, *json, "an array of [at, value]")) return;
  read_keys(*json, child(pointer_, field.name), values, at, value);
}

void Reader::keys_or(const Field& field, std::string_view word, std::vector<CurveKey>& values, Range at, Range value) {
  const Json* json = find(field);
  if (json == nullptr) return;
  if (json->is_array() && !json->empty()) return read_keys(*json, child(pointer_, field.name), values, at, value);
  values.clear();
  const std::optional<float> constant = as_number(*json, value);
  if (constant) values = {{0.0f, *constant}};
  expect(constant || *json == word, field.name, *json,
         fmt::format("{}, one or more [at, value], or \"{}\"", text_of(value), word));
}

void Reader::chosen(const Field& field, std::size_t& chosen, std::span<const std::string_view> names) {
  if (const Json* json = find(field); json != nullptr && expect_name(field.name, *json, names)) {
    chosen = static_cast<std::size_t>(std::find(names.begin(), names.end(), json->get_ref<const std::string&>()) -
                                      names.begin());
  }
  choices_[field.name] = names[chosen];
}

void Reader::deformer(const Field& name, const Field& parameters, DeformerParameters& value) {
  const Json* json = find(name);
  const Json* inside = find(parameters);
  if (json == nullptr) return;
  std::vector<std::string_view> names;
  for (const DeformerEntry& entry : deformers()) {
    if (*json == entry.name()) value = entry.defaults;
    names.push_back(entry.name());
  }
  if (!expect_name(name.name, *json, names) || inside == nullptr) return;
  read_object(*inside, child(pointer_, parameters.name), [&](Fields& fields) { value.describe_to(fields); });
}

void Reader::refuse(bool wrong, std::string_view name, std::string_view why, std::string_view) {
  if (wrong) problem_.report(child(pointer_, name), std::string(why));
}

void Reader::format(std::string_view key, std::string_view format, std::string_view family) {
  const Json* json = find(Field{.name = key, .required = true});
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

void Reader::nested(const Field& field, const Inside& inside) {
  if (const Json* json = find(field)) read_object(*json, child(pointer_, field.name), inside);
}

bool Reader::is_there(const Field& field, bool) { return find(field) != nullptr; }

void Reader::list(const Field& field, std::size_t size, const Resize& resize, const Item& item) {
  each(field, "an array", [&](const Json& json, const std::string& pointer) {
    resize(size + 1);
    read_object(json, pointer, [&](Fields& inside) { item(inside, size); });
    ++size;
  });
}

const Json* Reader::find(const Field& field) {
  const Json* json = find(field.name);
  if (json == nullptr && field.required) {
    problem_.report(pointer_, fmt::format("the key '{}' is missing", field.name));
  }
  return json;
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

bool Reader::is_out_of_place(const Field& field) const {
  const Condition& condition = field.condition;
  const auto choice = choices_.find(condition.choice);
  if (!condition.strict || choice == choices_.end()) return false;
  return std::find(condition.values.begin(), condition.values.end(), choice->second) == condition.values.end();
}

void Reader::settle(const Field& field, bool is_default) {
  if (is_default || !is_out_of_place(field)) return;
  const auto& [first, second] = field.condition.values;
  problem_.report(child(pointer_, field.name), fmt::format("belongs to the {} {}{}", field.condition.choice, first,
                                                           second.empty() ? "" : fmt::format(" or {}", second)));
}

void Reader::read_object(const Json& json, std::string pointer, const Inside& inside) {
  Reader reader(json, std::move(pointer), problem_);
  inside(reader);
  reader.finish();
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
  if (!value) problem_.report(pointer, fmt::format("must be {}, is {}", text_of(range), shown(json)));
  return value.value_or(0.0f);
}

void Reader::read_numbers(const Json& json, const std::string& pointer, std::vector<float>& values, Range range) {
  if (!json.is_array()) return problem_.report(pointer, "must be an array of numbers, is " + shown(json));
  values.clear();
  for (std::size_t i = 0; i < json.size() && !problem_.error; ++i) {
    values.push_back(read_number(json[i], fmt::format("{}/{}", pointer, i), range));
  }
}

void Reader::read_vector(const Json& json, const std::string& pointer, glm::vec3& value, Range range) {
  std::vector<float> numbers;
  read_numbers(json, pointer, numbers, range);
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

template <class Read>
void Reader::each(const Field& field, std::string_view what, const Read& read) {
  const Json* json = find(field);
  if (json == nullptr || !expect(json->is_array(), field.name, *json, what)) return;
  for (std::size_t i = 0; i < json->size() && !problem_.error; ++i) {
    read((*json)[i], fmt::format("{}/{}", child(pointer_, field.name), i));
  }
}

// ---- Writing ----

void Writer::flag(const Field& field, bool& value) { at(field.name) = value; }

void Writer::number(const Field& field, float& value, Range) { at(field.name) = shortest(value); }

void Writer::number_or(const Field& field, std::string_view word, std::optional<float>& value, Range) {
  at(field.name) = value ? OrderedJson(shortest(*value)) : OrderedJson(word);
}

void Writer::integer(const Field& field, std::uint32_t& value, IntegerRange, std::string_view zero_word) {
  at(field.name) = value == 0 && !zero_word.empty() ? OrderedJson(zero_word) : OrderedJson(value);
}

void Writer::integer_or(const Field& field, std::string_view word, std::optional<std::uint32_t>& value,
                        IntegerRange range, std::string_view zero_word) {
  if (value) return integer(field, *value, range, zero_word);
  at(field.name) = word;
}

void Writer::text(const Field& field, std::string& value, Names) { at(field.name) = value; }

void Writer::name(const Field& field, std::string& value, Names) { at(field.name) = value; }

void Writer::texts(const Field& field, std::vector<std::string>& values, Names) { at(field.name) = values; }

void Writer::numbers(const Field& field, std::vector<float>& values, Range) {
  OrderedJson& array = at(field.name) = OrderedJson::array();
  for (const float value : values) array.push_back(shortest(value));
}

void Writer::vector(const Field& field, glm::vec3& value, Range) { at(field.name) = to_json(value); }

void Writer::vector(const Field& field, glm::vec2& value, Range) {
  at(field.name) = OrderedJson::array({shortest(value.x), shortest(value.y)});
}

void Writer::vector_or(const Field& field, std::string_view word, std::optional<glm::vec3>& value) {
  at(field.name) = value ? to_json(*value) : OrderedJson(word);
}

void Writer::vectors(const Field& field, std::vector<glm::vec3>& values) {
  OrderedJson& array = at(field.name) = OrderedJson::array();
  for (const glm::vec3& value : values) array.push_back(to_json(value));
}

void Writer::integers(const Field& field, std::array<std::uint32_t, 2>& values) { at(field.name) = values; }

void Writer::ranges(const Field& field, std::vector<IndexRange>& values) {
  OrderedJson& array = at(field.name) = OrderedJson::array();
  for (const IndexRange& range : values) {
    array.push_back(range.first == range.last ? OrderedJson(range.first) : OrderedJson({range.first, range.last}));
  }
}

void Writer::offsets(const Field& field, std::vector<VertexOffset>& values) {
  OrderedJson& array = at(field.name) = OrderedJson::array();
  for (const VertexOffset& value : values) {
    array.push_back({value.vertex, shortest(value.offset.x), shortest(value.offset.y), shortest(value.offset.z)});
  }
}

void Writer::keys(const Field& field, std::vector<CurveKey>& values, Range, Range) {
  OrderedJson& array = at(field.name) = OrderedJson::array();
  for (const CurveKey& value : values) array.push_back({shortest(value.at), shortest(value.value)});
}

void Writer::keys_or(const Field& field, std::string_view word, std::vector<CurveKey>& values, Range at_range,
                     Range value_range) {
  if (values.empty()) {
    at(field.name) = word;
  } else if (values.size() == 1 && values[0].at == 0) {
    number(field, values[0].value, value_range);
  } else {
    keys(field, values, at_range, value_range);
  }
}

void Writer::chosen(const Field& field, std::size_t& chosen, std::span<const std::string_view> names) {
  at(field.name) = names[chosen];
}

void Writer::deformer(const Field& name, const Field& parameters, DeformerParameters& value) {
  at(name.name) = value.name();
  nested(parameters, [&](Fields& inside) { value.describe_to(inside); });
}

void Writer::nested(const Field& field, const Inside& inside) {
  Writer writer(at(field.name));
  inside(writer);
}

void Writer::list(const Field& field, std::size_t size, const Resize&, const Item& item) {
  OrderedJson& array = at(field.name) = OrderedJson::array();
  for (std::size_t i = 0; i < size; ++i) {
    Writer writer(array.emplace_back());
    item(writer, i);
  }
}

}  // namespace pelt::json_fields
