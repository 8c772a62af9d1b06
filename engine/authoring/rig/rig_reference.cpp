// SPDX-License-Identifier: MIT
// Writes the tables of all keys of a rig, generated from its schema.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include <pelt/rig_json.h>
#include <pelt/tools/json_fields.h>

namespace pelt {
namespace {

using json_fields::OrderedJson;

std::string code(const OrderedJson& value) {
  return fmt::format("`{}`", value.is_string() && value != "" ? value.get<std::string>() : value.dump());
}

// Returns the part of a reference after "#/$defs/".
std::string referred(const OrderedJson& type) { return type["$ref"].get<std::string>().substr(8); }

std::string numbers_text(const OrderedJson& type) {
  constexpr double kMaxNumber = 1e38;
  constexpr double kMaxInteger = 4294967295.0;
  const bool integer = type["type"] == "integer";
  const bool above = type.contains("exclusiveMinimum");
  const OrderedJson& least = above ? type["exclusiveMinimum"] : type["minimum"];
  const OrderedJson& most = type["maximum"];
  const std::string text = integer ? "integer" : "number";
  if (most.get<double>() < (integer ? kMaxInteger : kMaxNumber)) {
    return fmt::format("{} {} {} to {}", text, above ? "above" : "from", least.dump(), most.dump());
  }
  return least.get<double>() > -kMaxNumber ? fmt::format("{} {} {}", text, above ? ">" : ">=", least.dump()) : text;
}

std::string name_text(std::string names) {
  std::replace(names.begin(), names.end(), '_', ' ');
  const std::size_t any = names.find(" or any");
  if (any != std::string::npos) return names.substr(0, any) + " name or `*`";
  return names + " name";
}

// Describes the values of a type for a table. `names`: the kind of thing that its texts name.
std::string type_text(const OrderedJson& type, const std::string& names = "") {
  const auto joined = [&](const OrderedJson& all, const char* last) {
    std::string result;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) result += i + 1 == all.size() ? last : ", ";
      result += all[i].is_structured() ? type_text(all[i], names) : code(all[i]);
    }
    return result;
  };
  const std::string named = type.value("x-names", names);
  if (type.contains("$ref")) return fmt::format("[{0}](#{0})", referred(type));
  if (type.contains("const")) return code(type["const"]);
  if (type.contains("enum")) return joined(type["enum"], " or ");
  if (type.contains("anyOf") && !type.contains("type")) return joined(type["anyOf"], " or ");
  const std::string kind = type["type"];
  if (kind == "number" || kind == "integer") return numbers_text(type);
  if (kind == "boolean") return "`true` or `false`";
  if (kind == "string") return named.empty() ? "text" : name_text(named);
  if (kind != "array") return "object";
  if (type.contains("prefixItems")) {
    OrderedJson items = type["prefixItems"];
    while (items.size() < type["minItems"]) items.push_back(type["items"]);
    return "[" + joined(items, ", ") + "]";
  }
  if (type.contains("minItems") && type["minItems"] == type.value("maxItems", OrderedJson())) {
    return "[" + joined(OrderedJson(type["minItems"].get<std::size_t>(), type["items"]), ", ") + "]";
  }
  const std::string items = type_text(type["items"], named);
  return items.find(" or ") == std::string::npos ? "list of " + items : "list of (" + items + ")";
}

// Describes the type of a property, or its types by the schema's rules: a layer's parameters depend on its deformer.
std::string property_text(const OrderedJson& schema, const std::string& key) {
  OrderedJson types = OrderedJson::array();
  for (const OrderedJson& rule : schema.value("allOf", OrderedJson::array())) {
    const OrderedJson::json_pointer place = OrderedJson::json_pointer("/then/properties") / key;
    if (rule.contains(place) && rule[place].contains("$ref")) types.push_back(rule[place]);
  }
  return type_text(types.empty() ? schema["properties"][key] : OrderedJson{{"anyOf", types}});
}

void append_table(const OrderedJson& schema, std::string& text) {
  text += "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const auto& [key, property] : schema["properties"].items()) {
    std::string meaning = property.value("description", "");
    const OrderedJson choices = property.value("x-counts-with", OrderedJson::object());
    for (const auto& [choice, values] : choices.items()) {
      std::string when;
      for (const OrderedJson& value : values) when += (when.empty() ? "" : " or ") + code(value);
      meaning = fmt::format("With `{}` {}: {}", choice, when, meaning);
    }
    const OrderedJson required = schema.value("required", OrderedJson::array());
    const bool needed = std::find(required.begin(), required.end(), key) != required.end();
    const std::string fallback = needed                         ? "required"
                                 : property.contains("default") ? code(property["default"])
                                                                : "none";
    text += fmt::format("| `{}` | {} | {} | {} |\n", key, property_text(schema, key), fallback, meaning);
  }
}

// Collects the names of all structs below a schema, each after one that refers to it.
void collect(const OrderedJson& node, const OrderedJson& types, std::vector<std::string>& names) {
  if (node.is_object() && node.contains("$ref")) {
    const std::string name = referred(node);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
      collect(types[name], types, names);
    }
  }
  if (!node.is_structured()) return;
  for (const OrderedJson& child : node) collect(child, types, names);
}

}  // namespace

std::string format_rig_reference() {
  OrderedJson schema = OrderedJson::parse(format_rig_schema());
  const OrderedJson types = schema["$defs"];
  schema.erase("$defs");
  std::string text =
      "# Reference of rigs\n\nEvery key of a rig file, generated from the descriptions of the parameters. Editors that "
      "support JSON Schema\nread the same from [rig.schema.json](../engine/authoring/rig/rig.schema.json). "
      "[rig.md](rig.md) explains how the keys\nwork together.\n\n## rig\n\n";
  append_table(schema, text);
  std::vector<std::string> names;
  collect(schema, types, names);
  for (const std::string& name : names) {
    text += fmt::format("\n## {}\n\n{}\n\n", name, types[name].value("description", ""));
    append_table(types[name], text);
  }
  return text;
}

}  // namespace pelt
