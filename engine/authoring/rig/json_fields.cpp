// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <cmath>

#include <pelt/curve_keys.h>
#include <pelt/deformer_parameters.h>
#include <pelt/nearest_name.h>
#include <pelt/selection.h>
#include <pelt/tools/json_fields.h>

#include "engine/authoring/rig/deformer_entry.h"

namespace pelt::json_fields {
namespace {

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

template <class Value, class Convert>
OrderedJson list_of(const std::vector<Value>& values, const Convert& convert) {
  OrderedJson array = OrderedJson::array();
  for (const Value& value : values) array.push_back(convert(value));
  return array;
}

// Each returns the value of a member as it is written.
OrderedJson written(const members::Flag& member) { return member.value; }
OrderedJson written(const members::Number& member) { return shortest(member.value); }
OrderedJson written(const members::NumberOr& member) {
  return member.value ? OrderedJson(shortest(*member.value)) : OrderedJson(member.word);
}
OrderedJson written(const members::Integer& member) {
  return member.value == 0 && !member.zero_word.empty() ? OrderedJson(member.zero_word) : OrderedJson(member.value);
}
OrderedJson written(const members::IntegerOr& member) {
  return member.value ? written(members::Integer{*member.value, member.range, member.zero_word}) : member.word;
}
OrderedJson written(const members::Text& member) { return member.value; }
OrderedJson written(const members::Texts& member) { return member.values; }
OrderedJson written(const members::Numbers& member) { return list_of(member.values, shortest); }
OrderedJson written(const members::Vector<glm::vec3>& member) { return to_json(member.value); }
OrderedJson written(const members::Vector<glm::vec2>& member) {
  return OrderedJson::array({shortest(member.value.x), shortest(member.value.y)});
}
OrderedJson written(const members::VectorOr& member) {
  return member.value ? to_json(*member.value) : OrderedJson(member.word);
}
OrderedJson written(const members::Vectors& member) { return list_of(member.values, to_json); }
OrderedJson written(const members::IntegerPair& member) { return member.values; }
OrderedJson written(const members::Ranges& member) {
  return list_of(member.values, [](const IndexRange& range) {
    return range.first == range.last ? OrderedJson(range.first) : OrderedJson({range.first, range.last});
  });
}
OrderedJson written(const members::Offsets& member) {
  return list_of(member.values, [](const VertexOffset& value) {
    return OrderedJson::array(
        {value.vertex, shortest(value.offset.x), shortest(value.offset.y), shortest(value.offset.z)});
  });
}
OrderedJson written(const members::IndexLists& member) { return member.values; }
OrderedJson written(const members::Keys& member) {
  const std::vector<CurveKey>& keys = member.values;
  if (!member.word.empty() && keys.empty()) return member.word;
  if (!member.word.empty() && keys.size() == 1 && keys[0].at == 0) return shortest(keys[0].value);
  return list_of(keys, [](const CurveKey& key) { return OrderedJson::array({shortest(key.at), shortest(key.value)}); });
}
OrderedJson written(const members::Chosen& member) { return member.names[member.chosen]; }

}  // namespace

double shortest(float value) {
  if (!std::isfinite(value)) return value;
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, value);
  double result = 0;
  std::from_chars(text, written.ptr, result);
  constexpr double kMax = std::numeric_limits<float>::max();  // whose shortest text is a larger double
  result = std::clamp(result, -kMax, kMax);
  // Next to the middle between two floats, the double may round to the other one, as that of 7.038531e-26 does.
  return static_cast<float>(result) == value ? result : value;
}

std::string shortened(std::string text, std::size_t length) {
  if (text.size() > length) text = text.substr(0, length) + "...";
  return text;
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

void Reader::visit(const Field& field, const Member& member) {
  if (const Json* json = find(field)) {
    std::visit([&](const auto& kind) { read(field, *json, kind); }, member);
  }
  if (const auto* text = std::get_if<members::Text>(&member)) {
    refuse(!text->may_be_empty && text->value.empty(), field.name, "must not be empty", "");
  }
  if (const auto* choice = std::get_if<members::Chosen>(&member)) choices_[field.name] = choice->names[choice->chosen];
}

void Reader::read(const Field& field, const Json& json, const members::Flag& member) {
  if (!expect(json.is_boolean(), field.name, json, "true or false")) return;
  const bool before = std::exchange(member.value, json.get<bool>());
  settle(field, member.value == before);
}

void Reader::read(const Field& field, const Json& json, const members::Number& member) {
  const std::optional<float> read = as_number(json, member.range);
  if (!expect(read.has_value(), field.name, json, text_of(member.range))) return;
  const float before = std::exchange(member.value, *read);
  settle(field, member.value == before);
}

void Reader::read(const Field& field, const Json& json, const members::NumberOr& member) {
  const std::optional<float> before = std::exchange(member.value, as_number(json, member.range));
  const std::string text = fmt::format("{} or \"{}\"", text_of(member.range), member.word);
  if (!expect(member.value || json == member.word, field.name, json, text)) return;
  settle(field, member.value == before);
}

void Reader::read(const Field& field, const Json& json, const members::Integer& member) {
  const std::optional<std::uint32_t> read = as_integer(json, member.range);
  const bool zero = !member.zero_word.empty() && json == member.zero_word;
  std::string text = text_of(member.range);
  if (!member.zero_word.empty()) text += fmt::format(" or \"{}\"", member.zero_word);
  if (!expect(read || zero, field.name, json, text)) return;
  const std::uint32_t before = std::exchange(member.value, read.value_or(0));
  settle(field, member.value == before);
}

void Reader::read(const Field& field, const Json& json, const members::IntegerOr& member) {
  const bool zero = !member.zero_word.empty() && json == member.zero_word;
  const std::optional<std::uint32_t> before = std::exchange(member.value, zero ? 0 : as_integer(json, member.range));
  const std::string text = member.zero_word.empty() ? fmt::format("{} or \"{}\"", text_of(member.range), member.word)
                                                    : fmt::format("{}, \"{}\" or \"{}\"", text_of(member.range),
                                                                  member.zero_word, member.word);
  if (!expect(member.value || json == member.word, field.name, json, text)) return;
  settle(field, member.value == before);
}

void Reader::read(const Field& field, const Json& json, const members::Text& member) {
  const std::string before = member.value;
  read_text(json, child(pointer_, field.name), member.value);
  settle(field, member.value == before);
}

void Reader::read(const Field& field, const Json& json, const members::Texts& member) {
  if (!expect(json.is_array(), field.name, json, "an array of strings")) return;
  member.values.resize(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    read_text(json[i], fmt::format("{}/{}", child(pointer_, field.name), i), member.values[i]);
  }
}

void Reader::read(const Field& field, const Json& json, const members::Numbers& member) {
  read_numbers(json, child(pointer_, field.name), member.values, member.range);
}

void Reader::read(const Field& field, const Json& json, const members::Vector<glm::vec3>& member) {
  const glm::vec3 before = member.value;
  read_vector(json, child(pointer_, field.name), member.value, member.range);
  settle(field, member.value == before);
}

void Reader::read(const Field& field, const Json& json, const members::Vector<glm::vec2>& member) {
  std::vector<float> numbers;
  read_numbers(json, child(pointer_, field.name), numbers, member.range);
  if (problem_.error || !expect(numbers.size() == 2, field.name, json, "two numbers")) return;
  member.value = {numbers[0], numbers[1]};
}

void Reader::read(const Field& field, const Json& json, const members::VectorOr& member) {
  const std::optional<glm::vec3> before = std::exchange(member.value, std::nullopt);
  if (json.is_array()) {
    read_vector(json, child(pointer_, field.name), member.value.emplace());
  } else {
    expect(json == member.word, field.name, json, fmt::format("[x, y, z] or \"{}\"", member.word));
  }
  settle(field, member.value == before);
}

void Reader::read(const Field& field, const Json& json, const members::Vectors& member) {
  each(field, json, "an array of [x, y, z]",
       [&](const Json& item, const std::string& pointer) { read_vector(item, pointer, member.values.emplace_back()); });
}

void Reader::read(const Field& field, const Json& json, const members::IntegerPair& member) {
  const bool pair = json.is_array() && json.size() == 2 && as_integer(json[0], {}) && as_integer(json[1], {});
  if (!expect(pair, field.name, json, "two integers >= 1")) return;
  member.values = {*as_integer(json[0], {}), *as_integer(json[1], {})};
}

void Reader::read(const Field& field, const Json& json, const members::Ranges& member) {
  each(field, json, "an array of indices and [first, last]", [&](const Json& item, const std::string& pointer) {
    const bool pair = item.is_array() && item.size() == 2;
    const auto first = as_count(pair ? item[0] : item);
    const auto last = as_count(pair ? item[1] : item);
    if (!first || !last) {
      problem_.report(pointer, "must be an index or [first, last], is " + shown(item));
    } else {
      member.values.push_back({*first, *last});
    }
  });
}

void Reader::read(const Field& field, const Json& json, const members::Offsets& member) {
  each(field, json, "an array of [number, x, y, z]", [&](const Json& item, const std::string& pointer) {
    const bool whole = item.is_array() && item.size() == 4 && as_count(item[0]);
    if (!whole) return problem_.report(pointer, "must be [number, x, y, z], is " + shown(item));
    VertexOffset& value = member.values.emplace_back();
    value.vertex = *as_count(item[0]);
    read_vector(Json::array({item[1], item[2], item[3]}), pointer, value.offset);
  });
}

void Reader::read(const Field& field, const Json& json, const members::IndexLists& member) {
  each(field, json, "an array of arrays of numbers", [&](const Json& item, const std::string& pointer) {
    std::vector<std::uint32_t>& list = member.values.emplace_back();
    for (const Json& number : item.is_array() ? item : Json::array({nullptr})) {
      const auto index = as_count(number);
      if (!index) return problem_.report(pointer, "must be an array of numbers, is " + shown(item));
      list.push_back(static_cast<std::uint32_t>(*index));
    }
  });
}

void Reader::read(const Field& field, const Json& json, const members::Keys& member) {
  const bool has_word = !member.word.empty();
  if (json.is_array() && !(has_word && json.empty())) return read_keys(json, child(pointer_, field.name), member);
  if (!has_word) {
    expect(false, field.name, json, "an array of [at, value]");
    return;
  }
  member.values.clear();
  const std::optional<float> constant = as_number(json, member.value);
  if (constant) member.values = {{0.0f, *constant}};
  expect(constant || json == member.word, field.name, json,
         fmt::format("{}, one or more [at, value], or \"{}\"", text_of(member.value), member.word));
}

void Reader::read(const Field& field, const Json& json, const members::Chosen& member) {
  if (!expect_name(field.name, json, member.names)) return;
  const auto found = std::find(member.names.begin(), member.names.end(), json.get_ref<const std::string&>());
  member.chosen = static_cast<std::size_t>(found - member.names.begin());
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
                    fmt::format("unknown key '{}'{}", shortened(key, 64), did_you_mean(key, known_)));
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
  const Json* list = find(field);
  if (list == nullptr) return;
  each(field, *list, "an array", [&](const Json& json, const std::string& pointer) {
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
                  fmt::format("must be {}, is {}{}", list, shown(json), did_you_mean(name, names)));
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

void Reader::read_keys(const Json& json, const std::string& pointer, const members::Keys& member) {
  std::vector<CurveKey>& keys = member.values;
  keys.clear();
  for (std::size_t i = 0; i < json.size() && !problem_.error; ++i) {
    const std::string item = fmt::format("{}/{}", pointer, i);
    if (!json[i].is_array() || json[i].size() != 2) {
      return problem_.report(item, "must be [at, value], is " + shown(json[i]));
    }
    const CurveKey key{read_number(json[i][0], item + "/0", member.at),
                       read_number(json[i][1], item + "/1", member.value)};
    if (!keys.empty() && key.at <= keys.back().at) {
      problem_.report(item + "/0", fmt::format("must be above {}, where the key before it is", keys.back().at));
    }
    keys.push_back(key);
  }
}

template <class Read>
void Reader::each(const Field& field, const Json& json, std::string_view what, const Read& read) {
  if (!expect(json.is_array(), field.name, json, what)) return;
  for (std::size_t i = 0; i < json.size() && !problem_.error; ++i) {
    read(json[i], fmt::format("{}/{}", child(pointer_, field.name), i));
  }
}

// ---- Writing ----

OrderedJson json_of(const Member& member) {
  return std::visit([](const auto& kind) { return written(kind); }, member);
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
