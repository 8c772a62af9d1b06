// SPDX-License-Identifier: MIT
#include "engine/rig/json_schema.h"

#include <algorithm>
#include <cmath>

#include "engine/rig/deformer_entry.h"

namespace pelt::json_fields {
namespace {

// Writes whole numbers without a fraction.
OrderedJson neat(double value) {
  constexpr double kMaxExact = 9007199254740992.0;
  if (value == std::floor(value) && std::abs(value) < kMaxExact) return static_cast<std::int64_t>(value);
  return value;
}

OrderedJson neat(const OrderedJson& value) {
  if (value.is_number_float()) return neat(value.get<double>());
  if (!value.is_array()) return value;
  OrderedJson array = OrderedJson::array();
  for (const OrderedJson& item : value) array.push_back(neat(item));
  return array;
}

OrderedJson number_type(Range range) {
  OrderedJson type{{"type", "number"}};
  type[range.above_least ? "exclusiveMinimum" : "minimum"] = neat(shortest(range.least));
  type["maximum"] = neat(shortest(range.most));
  return type;
}

OrderedJson integer_type(IntegerRange range) {
  return {{"type", "integer"}, {"minimum", range.least}, {"maximum", range.most}};
}

OrderedJson word_type(std::string_view word) { return {{"const", word}}; }

OrderedJson any_of(OrderedJson types) { return {{"anyOf", std::move(types)}}; }

OrderedJson text_type() { return {{"type", "string"}}; }

OrderedJson array_of(OrderedJson items) { return {{"type", "array"}, {"items", std::move(items)}}; }

OrderedJson array_of(OrderedJson items, std::size_t count) {
  OrderedJson array = array_of(std::move(items));
  array["minItems"] = count;
  array["maxItems"] = count;
  return array;
}

OrderedJson key_type(Range at, Range value) {
  return {{"type", "array"},
          {"prefixItems", OrderedJson::array({number_type(at), number_type(value)})},
          {"minItems", 2},
          {"maxItems", 2}};
}

std::string_view word_of(Names names) {
  switch (names) {
    case Names::kNothing:
      return "";
    case Names::kFile:
      return "file";
    case Names::kObjFile:
      return "obj_file";
    case Names::kMeshOrAny:
      return "mesh_or_any";
    case Names::kNear:
    case Names::kDriver:
      return "mesh_or_muscle";
    case Names::kCage:
      return "mesh";
    case Names::kMuscleMesh:
      return "mesh";
    case Names::kGroup:
    case Names::kDriverGroup:
      return "group";
    case Names::kJoint:
      return "joint";
    case Names::kPoint:
      return "point";
    case Names::kAttribute:
      return "attribute";
    case Names::kMorphTarget:
      return "morph_target";
  }
  return "";
}

OrderedJson words(const std::array<std::string_view, 2>& values) {
  OrderedJson array = OrderedJson::array();
  for (const std::string_view value : values) {
    if (!value.empty()) array.push_back(value);
  }
  return array;
}

}  // namespace

SchemaWriter::SchemaWriter(OrderedJson& schema, OrderedJson& definitions) : schema_(schema), definitions_(definitions) {
  schema_ = {{"type", "object"}};
}

void SchemaWriter::about(std::string_view type, std::string_view meaning) {
  if (!type_.empty()) return;  // a struct whose members are written among another's
  type_ = type;
  schema_["description"] = meaning;
  schema_["additionalProperties"] = false;
  schema_["properties"] = OrderedJson::object();
}

void SchemaWriter::flag(const Field& field, bool& value) {
  writer_.flag(field, value);
  add(field, {{"type", "boolean"}});
}

void SchemaWriter::number(const Field& field, float& value, Range range) {
  writer_.number(field, value, range);
  add(field, number_type(range));
}

void SchemaWriter::number_or(const Field& field, std::string_view word, std::optional<float>& value, Range range) {
  writer_.number_or(field, word, value, range);
  add(field, any_of({number_type(range), word_type(word)}));
}

void SchemaWriter::integer(const Field& field, std::uint32_t& value, IntegerRange range, std::string_view zero_word) {
  writer_.integer(field, value, range, zero_word);
  add(field, zero_word.empty() ? integer_type(range) : any_of({integer_type(range), word_type(zero_word)}));
}

void SchemaWriter::integer_or(const Field& field, std::string_view word, std::optional<std::uint32_t>& value,
                              IntegerRange range, std::string_view zero_word) {
  writer_.integer_or(field, word, value, range, zero_word);
  OrderedJson types = OrderedJson::array({integer_type(range)});
  if (!zero_word.empty()) types.push_back(word_type(zero_word));
  types.push_back(word_type(word));
  add(field, any_of(std::move(types)));
}

void SchemaWriter::text(const Field& field, std::string& value, Names names) {
  writer_.text(field, value, names);
  add(field, text_type(), names);
}

void SchemaWriter::name(const Field& field, std::string& value, Names names) {
  OrderedJson property = text_type();
  property["minLength"] = 1;
  writer_.text(field, value, names);
  if (!value.empty()) {
    add(field, std::move(property), names);
    return;
  }
  add_without_default(field, std::move(property), names);
  if (!field.required) schema_["required"].push_back(field.name);
}

void SchemaWriter::texts(const Field& field, std::vector<std::string>& values, Names names) {
  writer_.texts(field, values, names);
  add(field, array_of(text_type()), names);
}

void SchemaWriter::numbers(const Field& field, std::vector<float>& values, Range range) {
  writer_.numbers(field, values, range);
  add(field, array_of(number_type(range)));
}

void SchemaWriter::vector(const Field& field, glm::vec3& value, Range range) {
  writer_.vector(field, value, range);
  add(field, array_of(number_type(range), 3));
}

void SchemaWriter::vector(const Field& field, glm::vec2& value, Range range) {
  writer_.vector(field, value, range);
  add(field, array_of(number_type(range), 2));
}

void SchemaWriter::vector_or(const Field& field, std::string_view word, std::optional<glm::vec3>& value) {
  writer_.vector_or(field, word, value);
  add(field, any_of({array_of(number_type(kAnyNumber), 3), word_type(word)}));
}

void SchemaWriter::vectors(const Field& field, std::vector<glm::vec3>& values) {
  writer_.vectors(field, values);
  add(field, array_of(array_of(number_type(kAnyNumber), 3)));
}

void SchemaWriter::integers(const Field& field, std::array<std::uint32_t, 2>& values) {
  writer_.integers(field, values);
  add(field, array_of(integer_type({}), 2));
}

void SchemaWriter::ranges(const Field& field, std::vector<IndexRange>& values) {
  writer_.ranges(field, values);
  const OrderedJson index = integer_type({.least = 0});
  add(field, array_of(any_of({index, array_of(index, 2)})));
}

void SchemaWriter::offsets(const Field& field, std::vector<VertexOffset>& values) {
  writer_.offsets(field, values);
  OrderedJson offset = array_of(number_type(kAnyNumber), 4);
  offset["prefixItems"] = OrderedJson::array({integer_type({.least = 0})});
  add(field, array_of(std::move(offset)));
}

void SchemaWriter::keys(const Field& field, std::vector<CurveKey>& values, Range at, Range value) {
  writer_.keys(field, values, at, value);
  add(field, array_of(key_type(at, value)));
}

void SchemaWriter::keys_or(const Field& field, std::string_view word, std::vector<CurveKey>& values, Range at,
                           Range value) {
  writer_.keys_or(field, word, values, at, value);
  OrderedJson several = array_of(key_type(at, value));
  several["minItems"] = 1;
  add(field, any_of({number_type(value), word_type(word), std::move(several)}));
}

void SchemaWriter::chosen(const Field& field, std::size_t& chosen, std::span<const std::string_view> names) {
  choices_[field.name] = names[chosen];
  OrderedJson list = OrderedJson::array();
  for (const std::string_view name : names) list.push_back(name);
  choice_names_[field.name] = {names.begin(), names.end()};
  writer_.chosen(field, chosen, names);
  add(field, {{"enum", std::move(list)}});
}

void SchemaWriter::deformer(const Field& name, const Field& parameters, DeformerParameters&) {
  OrderedJson names = OrderedJson::array();
  for (const DeformerEntry& entry : deformers()) {
    names.push_back(entry.name());
    DeformerParameters defaults = entry.defaults;
    const OrderedJson defined = reference([&](Fields& inside) { defaults.describe_to(inside); });
    add_rule({{"if", {{"properties", {{name.name, {{"const", entry.name()}}}}}}},
              {"then", {{"properties", {{parameters.name, defined}}}}}});
  }
  add_without_default(name, {{"enum", std::move(names)}});
  OrderedJson& property = add_without_default(parameters, {{"type", "object"}});
  property["default"] = OrderedJson::object();
}

void SchemaWriter::refuse(bool, std::string_view, std::string_view, std::string_view rule) {
  if (!rule.empty()) add_rule(OrderedJson::parse(rule));
}

void SchemaWriter::nested(const Field& field, const Inside& inside) {
  OrderedJson& property = add_without_default(field, reference(inside));
  if (!std::exchange(is_optional_, false) && !field.required) property["default"] = OrderedJson::object();
}

bool SchemaWriter::is_there(const Field&, bool) { return is_optional_ = true; }

void SchemaWriter::list(const Field& field, std::size_t, const Resize& resize, const Item& item) {
  resize(1);
  const OrderedJson items = reference([&](Fields& inside) { item(inside, 0); });
  resize(0);
  OrderedJson& property = add_without_default(field, array_of(items));
  if (!field.required) property["default"] = OrderedJson::array();
}

OrderedJson& SchemaWriter::add(const Field& field, OrderedJson property, Names names) {
  const std::string name(field.name);
  OrderedJson& added = add_without_default(field, std::move(property), names);
  if (field.required) return added;
  added["default"] = neat(defaults_[name]);
  const Condition& condition = field.condition;
  if (!condition.strict) return added;
  // The rule applies if the choice has another value, which may be its default.
  OrderedJson others = OrderedJson::array();
  for (const std::string& choice : choice_names_.at(condition.choice)) {
    if (choice != condition.values[0] && choice != condition.values[1]) others.push_back(choice);
  }
  OrderedJson when{{"properties", {{condition.choice, {{"enum", others}}}}}};
  const std::string_view now = choices_.at(condition.choice);
  if (now == condition.values[0] || now == condition.values[1]) when["required"] = {condition.choice};
  add_rule({{"if", std::move(when)}, {"then", {{"properties", {{name, {{"const", neat(defaults_[name])}}}}}}}});
  return schema_["properties"][name];
}

OrderedJson& SchemaWriter::add_without_default(const Field& field, OrderedJson property, Names names) {
  if (!field.meaning.empty()) property["description"] = field.meaning;
  if (names != Names::kNothing) property["x-names"] = word_of(names);
  if (!field.condition.choice.empty()) {
    property["x-counts-with"] = {{std::string(field.condition.choice), words(field.condition.values)}};
  }
  if (field.required) schema_["required"].push_back(field.name);
  return schema_["properties"][std::string(field.name)] = std::move(property);
}

OrderedJson SchemaWriter::reference(const Inside& inside) {
  OrderedJson schema;
  SchemaWriter writer(schema, definitions_);
  inside(writer);
  definitions_[writer.type()] = std::move(schema);
  return {{"$ref", "#/$defs/" + writer.type()}};
}

void SchemaWriter::add_rule(OrderedJson rule) { schema_["allOf"].push_back(std::move(rule)); }

std::string to_text(const OrderedJson& json, std::size_t indent) {
  constexpr std::size_t kWidth = 118;
  const std::string line = json.dump();
  if (!json.is_structured() || indent + line.size() <= kWidth - 20) return line;
  std::string text(1, json.is_array() ? '[' : '{');
  const std::string inner(indent + 2, ' ');
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    text += fmt::format("{}\n{}", first ? "" : ",", inner);
    first = false;
    if (json.is_object()) text += OrderedJson(key).dump() + ": ";
    text += to_text(value, indent + 2);
  }
  return fmt::format("{}\n{}{}", text, std::string(indent, ' '), json.is_array() ? ']' : '}');
}

}  // namespace pelt::json_fields
