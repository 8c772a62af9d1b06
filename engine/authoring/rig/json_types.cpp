// SPDX-License-Identifier: MIT
#include "engine/authoring/rig/json_types.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <pelt/nearest_name.h>

namespace pelt::json_fields {
namespace {

using Kind = JsonType::Kind;

JsonType number(Range range = {}) { return {.kind = Kind::kNumber, .text = text_of(range), .range = range}; }

JsonType integer(IntegerRange range = {}) {
  return {.kind = Kind::kInteger, .text = text_of(range), .integers = range};
}

JsonType text(std::size_t least = 0) { return {.kind = Kind::kText, .text = "a string", .least = least}; }

JsonType word(std::string_view word) {
  return {.kind = Kind::kWord, .text = fmt::format("\"{}\"", word), .words = {std::string(word)}};
}

JsonType list(JsonType entry, std::string text) {
  return {.kind = Kind::kList, .text = std::move(text), .types = {std::move(entry)}};
}

JsonType tuple(std::vector<JsonType> firsts_and_others, std::size_t count, std::string text) {
  return {.kind = Kind::kList,
          .text = std::move(text),
          .types = std::move(firsts_and_others),
          .least = count,
          .most = count};
}

JsonType vector(Range range = {}) { return tuple({number(range)}, 3, "[x, y, z]"); }

JsonType any_of(std::vector<JsonType> types, std::string text) {
  return {.kind = Kind::kAnyOf, .text = std::move(text), .types = std::move(types)};
}

// Returns a type, or a word that represents no value.
JsonType or_word(JsonType type, std::string_view name) {
  if (name.empty()) return type;
  std::string text = fmt::format("{} or \"{}\"", type.text, name);
  if (type.kind != Kind::kAnyOf) return any_of({std::move(type), word(name)}, std::move(text));
  text = fmt::format("{}, \"{}\" or \"{}\"", type.types[0].text, type.types[1].words[0], name);
  type.types.push_back(word(name));
  return any_of(std::move(type.types), std::move(text));
}

JsonType make(const members::Flag&) { return {.kind = Kind::kBoolean, .text = "true or false"}; }
JsonType make(const members::Number& member) { return number(member.range); }
JsonType make(const members::NumberOr& member) { return or_word(number(member.range), member.word); }
JsonType make(const members::Integer& member) { return or_word(integer(member.range), member.zero_word); }
JsonType make(const members::IntegerOr& member) {
  return or_word(or_word(integer(member.range), member.zero_word), member.word);
}
JsonType make(const members::Text& member) { return text(member.may_be_empty ? 0 : 1); }
JsonType make(const members::Texts&) { return list(text(), "an array of strings"); }
JsonType make(const members::Numbers& member) { return list(number(member.range), "an array of numbers"); }
JsonType make(const members::Vector<glm::vec3>& member) { return vector(member.range); }
JsonType make(const members::Vector<glm::vec2>& member) { return tuple({number(member.range)}, 2, "two numbers"); }
JsonType make(const members::VectorOr& member) { return or_word(vector(), member.word); }
JsonType make(const members::Vectors&) { return list(vector(), "an array of [x, y, z]"); }
JsonType make(const members::IntegerPair&) { return tuple({integer()}, 2, "two integers >= 1"); }
JsonType make(const members::Ranges&) {
  const JsonType index = integer({.least = 0});
  return list(any_of({index, tuple({index}, 2, "[first, last]")}, "an index or [first, last]"),
              "an array of indices and [first, last]");
}
JsonType make(const members::Offsets&) {
  return list(tuple({integer({.least = 0}), number()}, 4, "[number, x, y, z]"), "an array of [number, x, y, z]");
}
JsonType make(const members::IndexLists&) {
  return list(list(integer({.least = 0}), "an array of numbers"), "an array of arrays of numbers");
}
JsonType make(const members::Keys& member) {
  JsonType keys = list(tuple({number(member.at), number(member.value)}, 2, "[at, value]"), "an array of [at, value]");
  if (member.word.empty()) return keys;
  keys.least = 1;
  const JsonType constant = number(member.value);
  return any_of({constant, word(member.word), std::move(keys)},
                fmt::format("{}, one or more [at, value], or \"{}\"", constant.text, member.word));
}
JsonType make(const members::Chosen& member) { return one_of(member.names); }

// Returns true if a value has a type, without a check of a list's entries.
bool is_of_kind(const Json& json, const JsonType& type) {
  const double value = json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
  switch (type.kind) {
    case Kind::kBoolean:
      return json.is_boolean();
    case Kind::kNumber:
      return std::abs(value) <= kAnyNumber.most && contains(type.range, static_cast<float>(value));
    case Kind::kInteger:  // 2000.0 is an integer, as in JSON Schema
      return value == std::floor(value) && value >= type.integers.least && value <= type.integers.most;
    case Kind::kText:
      return json.is_string();
    case Kind::kWord:
      return json.is_string() && std::ranges::find(type.words, json.get_ref<const std::string&>()) != type.words.end();
    case Kind::kList:
      return json.is_array() && json.size() >= type.least && json.size() <= type.most;
    case Kind::kAnyOf:
      break;
  }
  return std::ranges::any_of(type.types, [&](const JsonType& one) { return is_of_kind(json, one); });
}

}  // namespace

JsonType type_of(const Member& member) {
  return std::visit([](const auto& kind) { return make(kind); }, member);
}

JsonType one_of(std::span<const std::string_view> names) {
  return {.kind = Kind::kWord,
          .text = fmt::format("one of \"{}\"", fmt::join(names, "\", \"")),
          .words = {names.begin(), names.end()}};
}

bool check(const Json& json, const JsonType& type, const std::string& pointer, Problem& problem) {
  if (!is_of_kind(json, type)) {
    const std::vector<std::string_view> known(type.words.begin(), type.words.end());
    const bool is_name = type.kind == Kind::kWord && json.is_string();
    problem.report(pointer, fmt::format("must be {}, is {}{}", type.text, shown(json),
                                        is_name ? did_you_mean(json.get_ref<const std::string&>(), known) : ""));
    return false;
  }
  if (type.kind == Kind::kAnyOf) {
    return check(json, *std::ranges::find_if(type.types, [&](const JsonType& one) { return is_of_kind(json, one); }),
                 pointer, problem);
  }
  if (type.kind != Kind::kList) return true;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const JsonType& entry = type.types[std::min(i, type.types.size() - 1)];
    const bool is_plain = entry.kind != Kind::kList && entry.kind != Kind::kAnyOf;
    if (is_plain && is_of_kind(json[i], entry)) continue;
    if (!check(json[i], entry, fmt::format("{}/{}", pointer, i), problem)) return false;
  }
  return true;
}

std::string shown(const Json& value) {
  if (value.is_array()) return "an array";
  if (value.is_object()) return "an object";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace), 40);
}

OrderedJson schema_of(const JsonType& type) {
  OrderedJson schemas = OrderedJson::array();
  for (const JsonType& one : type.types) schemas.push_back(schema_of(one));
  OrderedJson schema;
  switch (type.kind) {
    case Kind::kBoolean:
      return {{"type", "boolean"}};
    case Kind::kNumber:
      return {{"type", "number"},
              {type.range.above_least ? "exclusiveMinimum" : "minimum", neat(shortest(type.range.least))},
              {"maximum", neat(shortest(type.range.most))}};
    case Kind::kInteger:
      return {{"type", "integer"}, {"minimum", type.integers.least}, {"maximum", type.integers.most}};
    case Kind::kText:
      schema["type"] = "string";
      if (type.least > 0) schema["minLength"] = type.least;
      return schema;
    case Kind::kWord:
      if (type.words.size() == 1) return {{"const", type.words[0]}};
      schema["enum"] = type.words;
      return schema;
    case Kind::kAnyOf:
      schema["anyOf"] = std::move(schemas);
      return schema;
    case Kind::kList:
      break;
  }
  schema = {{"type", "array"}, {"items", std::move(schemas.back())}};
  schemas.erase(schemas.size() - 1);
  if (type.least > 0) schema["minItems"] = type.least;
  if (type.most < std::numeric_limits<std::size_t>::max()) schema["maxItems"] = type.most;
  if (!schemas.empty()) schema["prefixItems"] = std::move(schemas);
  return schema;
}

OrderedJson neat(const OrderedJson& value) {
  constexpr double kMaxExact = 9007199254740992.0;
  if (value.is_array()) {
    OrderedJson array = OrderedJson::array();
    for (const OrderedJson& item : value) array.push_back(neat(item));
    return array;
  }
  if (!value.is_number_float()) return value;
  const double number = value.get<double>();
  return number == std::floor(number) && std::abs(number) < kMaxExact ? OrderedJson(static_cast<std::int64_t>(number))
                                                                      : value;
}

}  // namespace pelt::json_fields
