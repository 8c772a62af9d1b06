// SPDX-License-Identifier: MIT
#include "engine/authoring/rig/json_schema.h"

#include <algorithm>
#include <iterator>

#include "engine/authoring/rig/deformer_entry.h"
#include "engine/authoring/rig/json_types.h"

namespace pelt::json_fields {
namespace {

OrderedJson array_of(OrderedJson items) { return {{"type", "array"}, {"items", std::move(items)}}; }

// The kind of thing that a text names, in the order of Names.
constexpr std::string_view kNamed[] = {
    "",     "file",  "obj_file", "mesh_or_any", "mesh_or_muscle", "mesh_or_muscle", "mesh",        "mesh",
    "mesh", "group", "joint",    "point",       "attribute",      "mesh",           "morph_target"};
static_assert(std::size(kNamed) == static_cast<std::size_t>(Names::kMorphTarget) + 1);

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
  if (!type_.empty()) return;  // a struct whose members are merged into another's
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
  OrderedJson property = schema_of(type_of(member));
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
    const OrderedJson defined = reference([&](Fields& inside) { entry.defaults.describe_to(inside); });
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
    const bool is_optional = !property.contains("default");  // an object is set if it exists
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
  add_rule({{"anyOf", std::move(alternatives)}});
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
  // The rule applies if the choice has another value, possibly its default.
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
  if (names != Names::kNothing) property["x-names"] = kNamed[static_cast<std::size_t>(names)];
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
