// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <pelt/deformer_parameters.h>
#include <pelt/nearest_name.h>
#include <pelt/tools/json_fields.h>

#include "engine/authoring/rig/deformer_entry.h"
#include "engine/authoring/rig/json_types.h"

namespace pelt::json_fields {
namespace {

OrderedJson to_json(const glm::vec3& value) { return {shortest(value.x), shortest(value.y), shortest(value.z)}; }

template <class Value, class Convert>
OrderedJson list_of(const std::vector<Value>& values, const Convert& convert) {
  OrderedJson array = OrderedJson::array();
  for (const Value& value : values) array.push_back(convert(value));
  return array;
}

// Each returns the JSON value of a member.
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

float number_of(const Json& json) { return static_cast<float>(json.get<double>()); }

std::uint32_t integer_of(const Json& json) { return static_cast<std::uint32_t>(json.get<double>()); }

glm::vec3 vector_of(const Json& json, std::size_t first = 0) {
  return {number_of(json[first]), number_of(json[first + 1]), number_of(json[first + 2])};
}

template <class Value, class Convert>
void read_list(const Json& json, const Convert& convert, std::vector<Value>& values) {
  values.clear();
  for (const Json& entry : json) values.push_back(convert(entry));
}

// Each sets a member to a value of its type.
void read(const Json& json, const members::Flag& member) { member.value = json.get<bool>(); }
void read(const Json& json, const members::Number& member) { member.value = number_of(json); }
void read(const Json& json, const members::NumberOr& member) {
  member.value = json.is_string() ? std::nullopt : std::optional(number_of(json));
}
void read(const Json& json, const members::Integer& member) { member.value = json.is_string() ? 0 : integer_of(json); }
void read(const Json& json, const members::IntegerOr& member) {
  member.value.reset();
  if (json != member.word) read(json, members::Integer{member.value.emplace(), member.range, member.zero_word});
}
void read(const Json& json, const members::Text& member) { member.value = json.get<std::string>(); }
void read(const Json& json, const members::Texts& member) { member.values = json.get<std::vector<std::string>>(); }
void read(const Json& json, const members::Numbers& member) { read_list(json, number_of, member.values); }
void read(const Json& json, const members::Vector<glm::vec3>& member) { member.value = vector_of(json); }
void read(const Json& json, const members::Vector<glm::vec2>& member) {
  member.value = {number_of(json[0]), number_of(json[1])};
}
void read(const Json& json, const members::VectorOr& member) {
  member.value = json.is_string() ? std::nullopt : std::optional(vector_of(json));
}
void read(const Json& json, const members::Vectors& member) {
  read_list(
      json, [](const Json& entry) { return vector_of(entry); }, member.values);
}
void read(const Json& json, const members::IntegerPair& member) {
  member.values = {integer_of(json[0]), integer_of(json[1])};
}
void read(const Json& json, const members::Ranges& member) {
  const auto range_of = [](const Json& entry) {
    const Json& last = entry.is_array() ? entry[1] : entry;
    return IndexRange{integer_of(entry.is_array() ? entry[0] : entry), integer_of(last)};
  };
  read_list(json, range_of, member.values);
}
void read(const Json& json, const members::Offsets& member) {
  const auto offset_of = [](const Json& entry) { return VertexOffset{integer_of(entry[0]), vector_of(entry, 1)}; };
  read_list(json, offset_of, member.values);
}
void read(const Json& json, const members::IndexLists& member) {
  const auto list_of = [](const Json& entry) {
    std::vector<std::uint32_t> indices;
    read_list(entry, integer_of, indices);
    return indices;
  };
  read_list(json, list_of, member.values);
}
void read(const Json& json, const members::Keys& member) {
  const auto key_of = [](const Json& entry) { return CurveKey{number_of(entry[0]), number_of(entry[1])}; };
  member.values.clear();
  if (json.is_number()) member.values = {{0.0f, number_of(json)}};
  if (json.is_array()) read_list(json, key_of, member.values);
}
void read(const Json& json, const members::Chosen& member) {
  const auto found = std::ranges::find(member.names, json.get_ref<const std::string&>());
  member.chosen = static_cast<std::size_t>(found - member.names.begin());
}

void check_ascending(const std::vector<CurveKey>& keys, const std::string& pointer, Problem& problem) {
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i].at > keys[i - 1].at) continue;
    problem.report(fmt::format("{}/{}/0", pointer, i),
                   fmt::format("must be above {}, the previous key", keys[i - 1].at));
  }
}

}  // namespace

double shortest(float value) {
  if (!std::isfinite(value)) return value;
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text - 1, value);
#ifdef __cpp_lib_to_chars
  double result = 0;
  std::from_chars(text, written.ptr, result);
#else
  *written.ptr = '\0';
  double result = std::strtod(text, nullptr);
#endif
  constexpr double kMax = std::numeric_limits<float>::max();  // whose shortest text is a larger double
  result = std::clamp(result, -kMax, kMax);
  // Near the middle between two floats, the double may round to the other one, as that of 7.038531e-26 does.
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
  const Json* json = find(field);
  const std::string pointer = child(pointer_, field.name);
  if (json != nullptr && check(*json, type_of(member), pointer, problem_)) {
    const bool must_stay = is_out_of_place(field);
    const OrderedJson before = must_stay ? json_of(member) : OrderedJson();
    std::visit([&](const auto& kind) { read(*json, kind); }, member);
    if (must_stay && json_of(member) != before) {
      const auto& [first, second] = field.condition.values;
      problem_.report(pointer, fmt::format("belongs to the {} {}{}", field.condition.choice, first,
                                           second.empty() ? "" : fmt::format(" or {}", second)));
    }
    if (const auto* keys = std::get_if<members::Keys>(&member)) check_ascending(keys->values, pointer, problem_);
  }
  if (const auto* text = std::get_if<members::Text>(&member)) {
    refuse(!text->may_be_empty && text->value.empty(), field.name, "must not be empty", "");
  }
  if (const auto* choice = std::get_if<members::Chosen>(&member)) choices_[field.name] = choice->names[choice->chosen];
}

void Reader::deformer(const Field& name, const Field& parameters, DeformerParameters& value) {
  const Json* json = find(name);
  const Json* inside = find(parameters);
  if (json == nullptr) return;
  // As on the command line, hyphens stand for underscores.
  Json written = *json;
  if (written.is_string()) std::ranges::replace(written.get_ref<std::string&>(), '-', '_');
  std::vector<std::string_view> names;
  for (const DeformerEntry& entry : deformers()) {
    if (written == entry.name()) value = entry.defaults;
    names.push_back(entry.name());
  }
  if (!check(written, one_of(names), child(pointer_, name.name), problem_) || inside == nullptr) return;
  read_object(*inside, child(pointer_, parameters.name), [&](Fields& fields) { value.describe_to(fields); });
}

void Reader::refuse(bool wrong, std::string_view name, std::string_view why, std::string_view) {
  if (wrong) problem_.report(child(pointer_, name), std::string(why));
}

void Reader::format(std::string_view key, std::string_view format, std::string_view family) {
  const Json* json = find(key);
  if (json != nullptr && *json == format) return;
  const bool other_version =
      json != nullptr && json->is_string() && json->get_ref<const std::string&>().starts_with(family);
  problem_.report(
      child(pointer_, key),
      fmt::format("must be \"{}\"{}, is {}", format, other_version ? ", the only version that this program reads" : "",
                  json != nullptr ? shown(*json) : "missing"),
      other_version ? ErrorCode::kUnsupported : ErrorCode::kInvalidFile);
}

void Reader::finish() {
  for (const auto& [key, value] : object_.items()) {
    if (problem_.error) return;
    if (std::ranges::find(known_, key) != known_.end()) continue;
    problem_.report(child(pointer_, shortened(key, 64)),
                    fmt::format("unknown key '{}'{}", shortened(key, 64), hint_of(key, known_)));
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
  const std::string pointer = child(pointer_, field.name);
  if (list == nullptr) return;
  if (!list->is_array()) return problem_.report(pointer, "must be an array, is " + shown(*list));
  for (std::size_t i = 0; i < list->size() && !problem_.error; ++i) {
    resize(size + 1);
    read_object((*list)[i], fmt::format("{}/{}", pointer, i), [&](Fields& inside) { item(inside, size); });
    ++size;
  }
}

const Json* Reader::find(const Field& field) {
  const Json* json = find(field.name);
  if (json == nullptr && field.required) {
    problem_.report(pointer_, fmt::format("the key '{}' is missing", field.name));
  }
  return json;
}

bool Reader::is_out_of_place(const Field& field) const {
  const Condition& condition = field.condition;
  const auto choice = choices_.find(condition.choice);
  if (!condition.strict || choice == choices_.end()) return false;
  return std::ranges::find(condition.values, choice->second) == condition.values.end();
}

void Reader::read_object(const Json& json, std::string pointer, const Inside& inside) {
  Reader reader(json, std::move(pointer), problem_);
  inside(reader);
  reader.finish();
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
