// SPDX-License-Identifier: MIT
// The JSON schema of rigs as a tree, from which the rig's panel is drawn.
#pragma once

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::viewer {

// The schema of a value, with references followed. Supports the keywords that the schema of rigs uses.
struct Schema {
  enum class Kind {
    kAny,      // no type, such as a layer's parameters, which the variants describe
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
  // If the object's `key` is `value`, its `property` has the schema `schema`.
  struct Variant {
    std::string key;
    nlohmann::json value;
    std::string property;
    std::shared_ptr<const Schema> schema;
  };

  Kind kind = Kind::kAny;
  std::string description;
  std::string names;           // kind of thing that a text names: "joint", "file", ...; empty: none
  nlohmann::json counts_with;  // {"strategy": ["b_spline"]}: the choices for which it has a meaning; null: any
  nlohmann::json fallback = nlohmann::json::value_t::discarded;  // "default"; discarded: none
  nlohmann::json fixed;
  std::vector<std::string> choices;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool above_minimum = false;  // exclusive
  bool not_empty = false;      // a string
  std::size_t min_items = 0;
  std::size_t max_items = std::numeric_limits<std::size_t>::max();
  std::vector<std::shared_ptr<const Schema>> first_items;  // for the first entries; `items` for later ones
  std::shared_ptr<const Schema> items;
  std::vector<Property> properties;  // in the schema's order
  std::vector<std::shared_ptr<const Schema>> alternatives;
  std::vector<Variant> variants;
  nlohmann::json rules = nlohmann::json::array();  // rules {"if", "then"}, without the variants

  const Schema* find(std::string_view property) const;
  // Returns the same, or the variant's schema if `object` is of that variant.
  const Schema* find(std::string_view property, const nlohmann::json& object) const;
  // Returns the schema of an array's entry i.
  const Schema& item(std::size_t i) const;
  bool has_fallback() const { return !fallback.is_discarded(); }
  // Returns true for an array of numbers with a length of at least `least` and at most `most`.
  bool is_numbers(std::size_t least, std::size_t most) const;
};

struct Schema::Property {
  std::string name;
  bool required = false;
  std::shared_ptr<const Schema> schema;
};

// Returns the schema of the whole rig.
const Schema& rig_schema();

// Returns the value of a new entry: the default, or else the smallest value that conforms, with "" for names.
nlohmann::json fresh_value(const Schema& schema);

// Returns true if the value and all its parts have their defaults; false if it has no default.
bool is_default(const Schema& schema, const nlohmann::json& value);

// Returns true if the object's rules forbid a property or fix its value.
bool is_ruled_out(const Schema& schema, const nlohmann::json& object, std::string_view property);

// Makes an object obey its own rules after one of its properties has changed: removes forbidden properties, and sets
// those with a fixed value.
void obey_rules(const Schema& schema, nlohmann::json& object);

}  // namespace pelt::viewer
