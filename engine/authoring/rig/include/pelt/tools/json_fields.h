// SPDX-License-Identifier: MIT
// Reads structs from JSON objects and writes them, by their describe functions (fields.h).
#pragma once

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/result.h>
#include <pelt/selection.h>
#include <pelt/tools/fields.h>

namespace pelt::json_fields {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// Parses JSON: at most 16 MiB, nested at most 32 deep, without duplicate keys. Checks the syntax only. Errors name
// `source`, line and column.
inline constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
Result<Json> parse_json(std::string_view json, const std::string& source);

// The first problem found.
struct Problem {
  std::string source;
  std::optional<Error> error;

  void report(const std::string& pointer, const std::string& what, ErrorCode code = ErrorCode::kInvalidFile) {
    if (!error) error = Error{code, fmt::format("{}: {}: {}", source, pointer.empty() ? "/" : pointer, what)};
  }
};

// Returns the double with the same shortest text as the float: 0.1f is written as 0.1, and reads back as 0.1f.
double shortest(float value);

// Returns the JSON value of a member.
OrderedJson json_of(const Member& member);

// Returns the text, or its first bytes and an ellipsis if it is longer than `length`.
std::string shortened(std::string text, std::size_t length);

// Appends a key to a JSON pointer (RFC 6901).
std::string child(const std::string& pointer, std::string_view key);

// Reads one JSON object. The value of an absent key keeps its default.
class Reader : public Fields {
 public:
  Reader(const Json& object, std::string pointer, Problem& problem);

  void visit(const Field&, const Member&) override;
  bool is_there(const Field&, bool now) override;
  void nested(const Field&, const Inside&) override;
  void deformer(const Field& name, const Field& parameters, DeformerParameters&) override;
  void refuse(bool wrong, std::string_view name, std::string_view why, std::string_view rule = "") override;

  // Requires the value `format`, which is `family` and a version.
  void format(std::string_view key, std::string_view format, std::string_view family);

  // Returns the raw value of a key; null if the key is absent.
  const Json* find(std::string_view key);

  // Refuses the keys that no call asked for. Call it last.
  void finish();

 protected:
  void list(const Field&, std::size_t size, const Resize&, const Item&) override;

 private:
  const Json* find(const Field&);
  // Returns true if an earlier choice requires the field to keep its default.
  bool is_out_of_place(const Field&) const;
  void read_object(const Json& json, std::string pointer, const Inside&);

  const Json& object_;
  std::string pointer_;
  Problem& problem_;
  std::vector<std::string_view> known_;
  std::map<std::string_view, std::string_view> choices_;  // choices read so far
};

// Writes one JSON object with every member of the struct, in the order of the calls.
class Writer : public Fields {
 public:
  explicit Writer(OrderedJson& object) : object_(object) { object_ = OrderedJson::object(); }

  void visit(const Field& field, const Member& member) override { at(field.name) = json_of(member); }
  void nested(const Field&, const Inside&) override;
  void deformer(const Field& name, const Field& parameters, DeformerParameters&) override;

  void format(std::string_view key, std::string_view format) { at(key) = format; }

 protected:
  void list(const Field&, std::size_t size, const Resize&, const Item&) override;

 private:
  OrderedJson& at(std::string_view key) { return object_[std::string(key)]; }

  OrderedJson& object_;
};

}  // namespace pelt::json_fields
