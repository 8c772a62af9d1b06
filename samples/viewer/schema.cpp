// SPDX-License-Identifier: MIT
#include "samples/viewer/schema.h"

#include <algorithm>

#include <pelt/rig_json.h>

namespace pelt::viewer {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// Reads the schema that the parameters describe. Throws if a part is missing, which is a bug.
class Builder {
 public:
  explicit Builder(const OrderedJson& root) : root_(root) {}

  std::shared_ptr<const Schema> build(const OrderedJson& node) const {
    Schema schema;
    if (node.contains("$ref")) schema = *build(referred(node["$ref"].get<std::string>()));
    if (node.contains("description")) schema.description = node["description"].get<std::string>();
    if (node.contains("default")) schema.fallback = Json(node["default"]);
    if (node.contains("type")) schema.kind = kind_of(node["type"].get<std::string>());
    if (node.contains("enum")) {
      schema.kind = Schema::Kind::kChoice;
      schema.choices = node["enum"].get<std::vector<std::string>>();
    }
    if (node.contains("const")) {
      schema.kind = Schema::Kind::kConst;
      schema.fixed = Json(node["const"]);
    }
    if (node.contains("minimum")) schema.minimum = node["minimum"].get<double>();
    if (node.contains("exclusiveMinimum")) {
      schema.minimum = node["exclusiveMinimum"].get<double>();
      schema.above_minimum = true;
    }
    if (node.contains("maximum")) schema.maximum = node["maximum"].get<double>();
    schema.not_empty = node.value("minLength", 0) > 0;
    if (node.contains("minItems")) schema.min_items = node["minItems"].get<std::size_t>();
    if (node.contains("maxItems")) schema.max_items = node["maxItems"].get<std::size_t>();
    if (node.contains("x-names")) schema.names = node["x-names"].get<std::string>();
    if (node.contains("x-counts-with")) schema.counts_with = Json(node["x-counts-with"]);
    if (node.contains("items")) {
      Schema items = *build(node["items"]);
      if (items.names.empty()) items.names = schema.names;
      schema.items = std::make_shared<const Schema>(std::move(items));
    }
    if (node.contains("prefixItems")) {
      for (const OrderedJson& item : node["prefixItems"]) schema.first_items.push_back(build(item));
    }
    if (node.contains("properties")) add_properties(node, schema);
    // For values of one type, anyOf is a rule between them.
    if (node.contains("anyOf") && !node.contains("type")) {
      schema.kind = Schema::Kind::kUnion;
      for (const OrderedJson& one : node["anyOf"]) schema.alternatives.push_back(build(one));
    }
    if (node.contains("allOf")) {
      for (const OrderedJson& rule : node["allOf"]) add_rule(rule, schema);
    }
    return std::make_shared<const Schema>(std::move(schema));
  }

 private:
  const OrderedJson& referred(const std::string& reference) const {
    return root_.at(OrderedJson::json_pointer(reference.substr(1)));
  }

  static Schema::Kind kind_of(const std::string& type) {
    if (type == "boolean") return Schema::Kind::kBoolean;
    if (type == "number") return Schema::Kind::kNumber;
    if (type == "integer") return Schema::Kind::kInteger;
    if (type == "string") return Schema::Kind::kString;
    if (type == "array") return Schema::Kind::kArray;
    return Schema::Kind::kObject;
  }

  void add_properties(const OrderedJson& node, Schema& schema) const {
    const OrderedJson required = node.value("required", OrderedJson::array());
    for (const auto& [name, value] : node["properties"].items()) {
      const bool needed = std::find(required.begin(), required.end(), name) != required.end();
      schema.properties.push_back({name, needed, build(value)});
    }
  }

  // A rule {"if": one property has one value, "then": one property is a reference} is a variant.
  void add_rule(const OrderedJson& rule, Schema& schema) const {
    if (!rule.contains("if")) return;  // a rule without a condition: the parser reports it
    const OrderedJson& when = rule["if"].value("properties", OrderedJson::object());
    const OrderedJson& then = rule["then"].value("properties", OrderedJson::object());
    if (when.size() == 1 && when.front().contains("const") && then.size() == 1 && then.front().contains("$ref")) {
      schema.variants.push_back(
          {when.begin().key(), Json(when.front()["const"]), then.begin().key(), build(then.front())});
    } else {
      schema.rules.push_back(Json(rule));
    }
  }

  const OrderedJson& root_;
};

// Supports the keywords in the conditions of rules.
bool conforms(const Json& value, const Json& condition) {
  for (const auto& [keyword, rule] : condition.items()) {
    bool ok = true;
    if (keyword == "const") {
      ok = value == rule;
    } else if (keyword == "enum") {
      ok = std::find(rule.begin(), rule.end(), value) != rule.end();
    } else if (keyword == "not") {
      ok = !conforms(value, rule);
    } else if (keyword == "required") {
      ok = std::all_of(rule.begin(), rule.end(),
                       [&](const Json& key) { return value.contains(key.get<std::string>()); });
    } else if (keyword == "properties") {
      for (const auto& [key, property] : rule.items())
        ok = ok && (!value.contains(key) || conforms(value[key], property));
    }
    if (!ok) return false;
  }
  return true;
}

// Calls a function for each demand of the rules on the object: forbid(key), set(key, value), hold(key, item).
template <class Forbid, class Set, class Hold>
void each_demand(const Schema& schema, const Json& object, const Forbid& forbid, const Set& set, const Hold& hold) {
  for (const Json& rule : schema.rules) {
    if (!conforms(object, rule["if"])) continue;
    const Json& then = rule["then"];
    const Json refused = then.value("not", Json::object());
    for (const Json& one : refused.value("anyOf", Json::array({refused}))) {
      for (const Json& key : one.value("required", Json::array())) forbid(key.get<std::string>());
    }
    const Json properties = then.value("properties", Json::object());
    for (const auto& [key, demand] : properties.items()) {
      if (demand.contains("const")) set(key, demand["const"]);
      if (demand.value("maxItems", 1) == 0) set(key, Json::array());
      if (demand.contains("contains")) hold(key, demand["contains"]["const"]);
    }
  }
}

}  // namespace

const Schema* Schema::find(std::string_view property) const {
  const auto found =
      std::find_if(properties.begin(), properties.end(), [&](const Property& p) { return p.name == property; });
  return found == properties.end() ? nullptr : found->schema.get();
}

const Schema* Schema::find(std::string_view property, const Json& object) const {
  for (const Variant& variant : variants) {
    const auto value = object.find(variant.key);
    if (variant.property == property && value != object.end() && *value == variant.value) return variant.schema.get();
  }
  return find(property);
}

const Schema& Schema::item(std::size_t i) const { return i < first_items.size() ? *first_items[i] : *items; }

bool Schema::is_numbers(std::size_t least, std::size_t most) const {
  if (kind != Kind::kArray || min_items != max_items || min_items < least || min_items > most) return false;
  for (std::size_t i = 0; i < min_items; ++i) {
    if (item(i).kind != Kind::kNumber && item(i).kind != Kind::kInteger) return false;
  }
  return true;
}

const Schema& rig_schema() {
  static const std::shared_ptr<const Schema> schema = [] {
    const OrderedJson root = OrderedJson::parse(format_rig_schema());
    return Builder(root).build(root);
  }();
  return *schema;
}

Json fresh_value(const Schema& schema) {
  if (schema.has_fallback()) return schema.fallback;
  switch (schema.kind) {
    case Schema::Kind::kAny:
    case Schema::Kind::kBoolean:
      return schema.kind == Schema::Kind::kBoolean ? Json(false) : Json::object();
    case Schema::Kind::kNumber:
      if (schema.above_minimum) return std::min(schema.minimum + 1, schema.maximum);
      return std::clamp(0.0, schema.minimum, schema.maximum);
    case Schema::Kind::kInteger:
      return static_cast<std::int64_t>(std::clamp(0.0, schema.minimum, schema.maximum));
    case Schema::Kind::kString:
      return "";
    case Schema::Kind::kChoice:
      return schema.choices.front();
    case Schema::Kind::kConst:
      return schema.fixed;
    case Schema::Kind::kArray: {
      Json array = Json::array();
      for (std::size_t i = 0; i < schema.min_items; ++i) array.push_back(fresh_value(schema.item(i)));
      return array;
    }
    case Schema::Kind::kObject: {
      Json object = Json::object();
      for (const Schema::Property& property : schema.properties) {
        if (property.required) object[property.name] = fresh_value(*property.schema);
      }
      return object;
    }
    case Schema::Kind::kUnion:
      return fresh_value(*schema.alternatives.front());
  }
  return {};
}

bool is_default(const Schema& schema, const Json& value) {
  if (!schema.has_fallback()) return false;
  if (value == schema.fallback) return true;
  if (schema.kind != Schema::Kind::kObject || !value.is_object() || !schema.fallback.is_object()) return false;
  // An object with the default {} has properties with their own defaults.
  return std::all_of(value.items().begin(), value.items().end(), [&](const auto& item) {
    const Schema* item_schema = schema.find(item.key(), value);
    return item_schema != nullptr && is_default(*item_schema, item.value());
  });
}

bool is_ruled_out(const Schema& schema, const Json& object, std::string_view property) {
  bool out = false;
  each_demand(
      schema, object, [&](const std::string& key) { out = out || key == property; },
      [&](const std::string& key, const Json& value) {
        const Schema* key_schema = schema.find(key);
        out = out || (key == property && object.value(key, key_schema->fallback) == value);
      },
      [](const std::string&, const Json&) {});
  return out;
}

void obey_rules(const Schema& schema, Json& object) {
  const Json before = object;
  each_demand(
      schema, before, [&](const std::string& key) { object.erase(key); },
      [&](const std::string& key, const Json& value) {
        const Schema* key_schema = schema.find(key);
        if (key_schema != nullptr && key_schema->fallback == value) {
          object.erase(key);
        } else {
          object[key] = value;
        }
      },
      [&](const std::string& key, const Json& item) {
        Json& items = object[key];
        if (!items.is_array()) items = Json::array();
        if (std::find(items.begin(), items.end(), item) == items.end()) items.insert(items.begin(), item);
      });
}

}  // namespace pelt::viewer
