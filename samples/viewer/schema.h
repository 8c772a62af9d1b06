// SPDX-License-Identifier: MIT
// The JSON schema of rigs as a tree: what the rig's panel is drawn from.
#pragma once

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pelt::viewer {

// A value as the schema describes it; references are followed. Of the keywords, those that it uses.
struct Schema {
  enum class Kind {
    kAny,      // nothing is said of it: a layer's parameters, of which its variants speak
    kBoolean,  //
    kNumber,
    kInteger,
    kString,
    kChoice,  // one of `choices`
    kConst,   // `fixed`
    kArray,
    kObject,
    kUnion,  // one of `alternatives`
  };
  struct Property;
  // Where the object's `key` is `value`, its `property` is `schema`.
  struct Variant {
    std::string key;
    nlohmann::json value;
    std::string property;
    std::shared_ptr<const Schema> schema;
  };

  Kind kind = Kind::kAny;
  std::string description;
  std::string names;           // what a text names: "joint", "file", ...; empty: nothing
  nlohmann::json counts_with;  // {"strategy": ["b_spline"]}: the choices that give it a meaning; null: any
  nlohmann::json fallback = nlohmann::json::value_t::discarded;  // "default"; discarded: none
  nlohmann::json fixed;
  std::vector<std::string> choices;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool above_minimum = false;  // exclusive
  bool not_empty = false;      // a string
  std::size_t min_items = 0;
  std::size_t max_items = std::numeric_limits<std::size_t>::max();
  std::vector<std::shared_ptr<const Schema>> first_items;  // of the first places; `items` of those after them
  std::shared_ptr<const Schema> items;
  std::vector<Property> properties;  // in the schema's order
  std::vector<std::shared_ptr<const Schema>> alternatives;
  std::vector<Variant> variants;
  nlohmann::json rules = nlohmann::json::array();  // its {"if", "then"}, but the variants

  const Schema* find(std::string_view property) const;
  // The same; what a variant says of it where `object` is of that variant.
  const Schema* find(std::string_view property, const nlohmann::json& object) const;
  // Of an array.
  const Schema& item(std::size_t i) const;
  bool has_fallback() const { return !fallback.is_discarded(); }
  // Numbers of `n` or between `least` and `most` of them.
  bool is_numbers(std::size_t least, std::size_t most) const;
};

struct Schema::Property {
  std::string name;
  bool required = false;
  std::shared_ptr<const Schema> schema;
};

// Of the whole rig.
const Schema& rig_schema();

// What a place holds that is added: the default; else the least that conforms, with "" for names.
nlohmann::json fresh_value(const Schema& schema);

// Whether a value is its default throughout: nothing that it holds differs. Without a default nothing is.
bool is_default(const Schema& schema, const nlohmann::json& value);

// Whether the rules of the object, as it is, leave no choice about a property: it must not be there, or has one value.
bool is_ruled_out(const Schema& schema, const nlohmann::json& object, std::string_view property);

// Makes an object obey its own rules after one of its properties has changed: removes what has no place, sets what
// must have one value.
void obey_rules(const Schema& schema, nlohmann::json& object);

}  // namespace pelt::viewer
