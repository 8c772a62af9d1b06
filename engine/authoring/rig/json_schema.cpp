// SPDX-License-Identifier: MIT
#include "engine/authoring/rig/json_schema.h"

#include <algorithm>
#include <cmath>

#include "engine/authoring/rig/deformer_entry.h"

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

// Each returns the JSON Schema of a member's values.
OrderedJson type_of(const members::Flag&) { return {{"type", "boolean"}}; }
OrderedJson type_of(const members::Number& member) { return number_type(member.range); }
OrderedJson type_of(const members::NumberOr& member) {
  return any_of({number_type(member.range), word_type(member.word)});
}
OrderedJson type_of(const members::Integer& member) {
  const OrderedJson number = integer_type(member.range);
  return member.zero_word.empty() ? number : any_of({number, word_type(member.zero_word)});
}
OrderedJson type_of(const members::IntegerOr& member) {
  OrderedJson types = OrderedJson::array({integer_type(member.range)});
  if (!member.zero_word.empty()) types.push_back(word_type(member.zero_word));
  types.push_back(word_type(member.word));
  return any_of(std::move(types));
}
OrderedJson type_of(const members::Text& member) {
  OrderedJson type = text_type();
  if (!member.may_be_empty) type["minLength"] = 1;
  return type;
}
OrderedJson type_of(const members::Texts&) { return array_of(text_type()); }
OrderedJson type_of(const members::Numbers& member) { return array_of(number_type(member.range)); }
OrderedJson type_of(const members::Vector<glm::vec3>& member) { return array_of(number_type(member.range), 3); }
OrderedJson type_of(const members::Vector<glm::vec2>& member) { return array_of(number_type(member.range), 2); }
OrderedJson type_of(const members::VectorOr& member) {
  return any_of({array_of(number_type(kAnyNumber), 3), word_type(member.word)});
}
OrderedJson type_of(const members::Vectors&) { return array_of(array_of(number_type(kAnyNumber), 3)); }
OrderedJson type_of(const members::IntegerPair&) { return array_of(integer_type({}), 2); }
OrderedJson type_of(const members::Ranges&) {
  const OrderedJson index = integer_type({.least = 0});
  return array_of(any_of({index, array_of(index, 2)}));
}
OrderedJson type_of(const members::Offsets&) {
  OrderedJson offset = array_of(number_type(kAnyNumber), 4);
  offset["prefixItems"] = OrderedJson::array({integer_type({.least = 0})});
  return array_of(std::move(offset));
}
OrderedJson type_of(const members::IndexLists&) { return array_of(array_of(integer_type({.least = 0}))); }
OrderedJson type_of(const members::Keys& member) {
  OrderedJson keys = array_of(key_type(member.at, member.value));
  if (member.word.empty()) return keys;
  keys["minItems"] = 1;
  return any_of({number_type(member.value), word_type(member.word), std::move(keys)});
}
OrderedJson type_of(const members::Chosen& member) {
  OrderedJson list = OrderedJson::array();
  for (const std::string_view name : member.names) list.push_back(name);
  return {{"enum", std::move(list)}};
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
    case Names::kMuscleMesh:
    case Names::kMesh:
      return "mesh";
    case Names::kGroup:
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

void SchemaWriter::visit(const Field& field, const Member& member) {
  if (const auto* choice = std::get_if<members::Chosen>(&member)) {
    choices_[field.name] = choice->names[choice->chosen];
    choice_names_[field.name] = {choice->names.begin(), choice->names.end()};
  }
  OrderedJson property = std::visit([](const auto& kind) { return type_of(kind); }, member);
  const auto* text = std::get_if<members::Text>(&member);
  const auto* texts = std::get_if<members::Texts>(&member);
  const Names names = text != nullptr ? text->names : texts != nullptr ? texts->names : Names::kNothing;
  const bool must_be_given = text != nullptr && !text->may_be_empty && text->value.empty();
  if (!field.required && !must_be_given) return add(field, std::move(property), names, neat(json_of(member)));
  add_without_default(field, std::move(property), names);
  if (!field.required) schema_["required"].push_back(field.name);
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

void SchemaWriter::clause(std::span<const Given> given, std::span<const Given> missing) {
  OrderedJson alternatives = OrderedJson::array();
  const auto add_alternative = [&](const Given& one, bool is_given) {
    const OrderedJson& property = schema_["properties"][std::string(one.member)];
    const bool is_optional = !property.contains("default");  // an object that is given if it is there
    OrderedJson rule;
    if (is_optional) {
      rule["required"] = {one.member};
    } else {
      rule["properties"][std::string(one.member)]["const"] = property["default"];
    }
    alternatives.push_back(is_given == is_optional ? std::move(rule) : OrderedJson{{"not", std::move(rule)}});
  };
  for (const Given& one : given) add_alternative(one, false);
  for (const Given& one : missing) add_alternative(one, true);
  add_rule(any_of(std::move(alternatives)));
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

void SchemaWriter::add(const Field& field, OrderedJson property, Names names, const OrderedJson& default_value) {
  add_without_default(field, std::move(property), names)["default"] = default_value;
  const Condition& condition = field.condition;
  if (!condition.strict) return;
  // The rule applies if the choice has another value, which may be its default.
  OrderedJson others = OrderedJson::array();
  for (const std::string& choice : choice_names_.at(condition.choice)) {
    if (choice != condition.values[0] && choice != condition.values[1]) others.push_back(choice);
  }
  OrderedJson when{{"properties", {{condition.choice, {{"enum", others}}}}}};
  const std::string_view now = choices_.at(condition.choice);
  if (now == condition.values[0] || now == condition.values[1]) when["required"] = {condition.choice};
  add_rule(
      {{"if", std::move(when)}, {"then", {{"properties", {{std::string(field.name), {{"const", default_value}}}}}}}});
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
  std::string line = json.dump();
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
