// SPDX-License-Identifier: MIT
// Writes the JSON Schema (2020-12) of structs by their describe functions (fields.h).
#pragma once

#include <pelt/tools/json_fields.h>

namespace pelt::json_fields {

// Writes the schema of one struct, whose values are the defaults. A property also has the kind of thing that its text
// names ("x-names") and the choice that it depends on ("x-counts-with": {"strategy": ["b_spline"]}).
class SchemaWriter : public Fields {
 public:
  // `schema`: receives the schema of this struct. `definitions`: receives those of nested structs, by name.
  SchemaWriter(OrderedJson& schema, OrderedJson& definitions);

  const std::string& type() const { return type_; }

  void about(std::string_view type, std::string_view meaning) override;
  void visit(const Field&, const Member&) override;
  bool is_there(const Field&, bool now) override;
  void nested(const Field&, const Inside&) override;
  void deformer(const Field& name, const Field& parameters, DeformerParameters&) override;
  void refuse(bool wrong, std::string_view name, std::string_view why, std::string_view rule = "") override;

 protected:
  void clause(std::span<const Given> given, std::span<const Given> missing) override;
  void list(const Field&, std::size_t size, const Resize&, const Item&) override;

 private:
  void add(const Field&, OrderedJson property, Names, const OrderedJson& default_value);
  OrderedJson& add_without_default(const Field&, OrderedJson property, Names = Names::kNothing);
  // Adds a struct's definition and returns a reference to it.
  OrderedJson reference(const Inside&);
  void add_rule(OrderedJson rule);

  OrderedJson& schema_;
  OrderedJson& definitions_;
  std::string type_;
  bool is_optional_ = false;                                           // true if the next nested struct may be missing
  std::map<std::string_view, std::string_view> choices_;               // choices so far, at their defaults
  std::map<std::string_view, std::vector<std::string>> choice_names_;  // possible values of each choice
};

// Formats JSON for people: short values stay on one line.
std::string to_text(const OrderedJson& json, std::size_t indent = 0);

}  // namespace pelt::json_fields
