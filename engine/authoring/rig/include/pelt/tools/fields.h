// SPDX-License-Identifier: MIT
// A parameter is declared once: describe(fields, struct) passes each member of a struct to a Fields: its name, meaning
// and range, and what its text names. Subclasses of Fields use this to read and write JSON (json_fields.h), to write
// its schema (json_schema.h), and to find the files or groups that a rig names (rig_names.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <pelt/curve_keys.h>
#include <pelt/mesh.h>
#include <pelt/rig_names.h>
#include <pelt/selection.h>

namespace pelt {

class DeformerParameters;

// A range of finite numbers from `least` to `most`.
struct Range {
  float least = -std::numeric_limits<float>::max();
  float most = std::numeric_limits<float>::max();
  bool above_least = false;  // excludes `least` itself
};
inline constexpr Range kAnyNumber{};
inline constexpr Range kNotNegative{.least = 0};
inline constexpr Range kPositive{.least = 0, .above_least = true};
inline constexpr Range kUnitInterval{.least = 0, .most = 1};

// A range of whole numbers from `least` to `most`.
struct IntegerRange {
  std::uint32_t least = 1;
  std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
};

// A member counts only if an earlier choice is one of `values`.
struct Condition {
  std::string_view choice;
  std::array<std::string_view, 2> values;  // "": no value
  bool strict = false;                     // otherwise the member must have its default
};

struct Field {
  std::string_view name;
  std::string_view meaning;  // sentences, with the unit
  Condition condition{};     // no choice: always
  bool required = false;     // the key must be there
};

// A member's name, and whether the member is set: whether it differs from its default.
struct Given {
  std::string_view member;
  bool is_given;
};

template <class E>
struct Choice {
  std::string_view name;
  E value;
};

// The kinds of members: each refers to the member and lists its allowed values.
namespace members {

struct Flag {
  bool& value;
};
struct Number {
  float& value;
  Range range;
};
struct NumberOr {
  std::optional<float>& value;
  Range range;
  std::string_view word;  // written for no value
};
struct Integer {
  std::uint32_t& value;
  IntegerRange range;
  std::string_view zero_word;  // written for 0, unless it is empty
};
struct IntegerOr {
  std::optional<std::uint32_t>& value;
  IntegerRange range;
  std::string_view zero_word;
  std::string_view word;
};
struct Text {
  std::string& value;
  Names names;
  bool may_be_empty;
};
struct Texts {
  std::vector<std::string>& values;
  Names names;
};
struct Numbers {
  std::vector<float>& values;
  Range range;  // of each number
};
template <class V>
struct Vector {
  V& value;
  Range range;  // of each component
};
struct VectorOr {
  std::optional<glm::vec3>& value;
  std::string_view word;
};
struct Vectors {
  std::vector<glm::vec3>& values;
};
struct IntegerPair {
  std::array<std::uint32_t, 2>& values;  // both >= 1
};
struct Ranges {
  std::vector<IndexRange>& values;  // each is an index or [first, last]
};
struct Offsets {
  std::vector<VertexOffset>& values;  // each is [number, x, y, z]
};
struct IndexLists {
  std::vector<std::vector<std::uint32_t>>& values;
};
struct Keys {
  std::vector<CurveKey>& values;  // by ascending `at`
  Range at;
  Range value;
  // Unless it is empty, it is written for no keys, and a single number is a key at 0.
  std::string_view word;
};
struct Chosen {
  std::size_t& chosen;  // index in `names`
  std::span<const std::string_view> names;
};

}  // namespace members

using Member = std::variant<members::Flag, members::Number, members::NumberOr, members::Integer, members::IntegerOr,
                            members::Text, members::Texts, members::Numbers, members::Vector<glm::vec3>,
                            members::Vector<glm::vec2>, members::VectorOr, members::Vectors, members::IntegerPair,
                            members::Ranges, members::Offsets, members::IndexLists, members::Keys, members::Chosen>;

// Visits the members of a struct. A function that is not overridden does nothing, or visits the members inside.
class Fields {
 public:
  virtual ~Fields() = default;

  // Passes the struct's name in the schema and its meaning. It is the first call of a describe.
  virtual void about(std::string_view /*type*/, std::string_view /*meaning*/) {}

  // Visits a member. The functions below call it for one kind each.
  virtual void visit(const Field&, const Member&) {}
  void flag(const Field& field, bool& value) { visit(field, members::Flag{value}); }
  void number(const Field& field, float& value, Range range) { visit(field, members::Number{value, range}); }
  void number_or(const Field& field, std::string_view word, std::optional<float>& value, Range range) {
    visit(field, members::NumberOr{value, range, word});
  }
  void integer(const Field& field, std::uint32_t& value, IntegerRange range = {}, std::string_view zero_word = "") {
    visit(field, members::Integer{value, range, zero_word});
  }
  void integer_or(const Field& field, std::string_view word, std::optional<std::uint32_t>& value,
                  IntegerRange range = {}, std::string_view zero_word = "") {
    visit(field, members::IntegerOr{value, range, zero_word, word});
  }
  void text(const Field& field, std::string& value, Names names = Names::kNothing) {
    visit(field, members::Text{value, names, true});
  }
  void name(const Field& field, std::string& value, Names names = Names::kNothing) {
    visit(field, members::Text{value, names, false});
  }
  void texts(const Field& field, std::vector<std::string>& values, Names names = Names::kNothing) {
    visit(field, members::Texts{values, names});
  }
  void numbers(const Field& field, std::vector<float>& values, Range range) {
    visit(field, members::Numbers{values, range});
  }
  template <class V>
  void vector(const Field& field, V& value, Range range = {}) {
    visit(field, members::Vector<V>{value, range});
  }
  void vector_or(const Field& field, std::string_view word, std::optional<glm::vec3>& value) {
    visit(field, members::VectorOr{value, word});
  }
  void vectors(const Field& field, std::vector<glm::vec3>& values) { visit(field, members::Vectors{values}); }
  void integers(const Field& field, std::array<std::uint32_t, 2>& values) {
    visit(field, members::IntegerPair{values});
  }
  void ranges(const Field& field, std::vector<IndexRange>& values) { visit(field, members::Ranges{values}); }
  void offsets(const Field& field, std::vector<VertexOffset>& values) { visit(field, members::Offsets{values}); }
  void index_lists(const Field& field, std::vector<std::vector<std::uint32_t>>& values) {
    visit(field, members::IndexLists{values});
  }
  void keys(const Field& field, std::vector<CurveKey>& values, Range at, Range value) {
    visit(field, members::Keys{values, at, value, ""});
  }
  void keys_or(const Field& field, std::string_view word, std::vector<CurveKey>& values, Range at, Range value) {
    visit(field, members::Keys{values, at, value, word});
  }
  void chosen(const Field& field, std::size_t& chosen, std::span<const std::string_view> names) {
    visit(field, members::Chosen{chosen, names});
  }
  template <class E, std::size_t n>
  void choice(const Field& field, E& value, const Choice<E> (&choices)[n]) {
    std::array<std::string_view, n> names;
    std::size_t place = 0;
    for (std::size_t i = 0; i < n; ++i) {
      names[i] = choices[i].name;
      if (choices[i].value == value) place = i;
    }
    chosen(field, place, names);
    value = choices[place].value;
  }

  // Returns true if an optional member exists, or should be made.
  virtual bool is_there(const Field&, bool now) { return now; }
  using Inside = std::function<void(Fields&)>;
  virtual void nested(const Field&, const Inside& inside) { inside(*this); }
  template <class T>
  void object(const Field& field, T& value) {
    nested(field, [&](Fields& inside) { describe(inside, value); });
  }
  template <class T>
  void optional_object(const Field& field, std::optional<T>& value) {
    if (!is_there(field, value.has_value())) return;
    if (!value) value.emplace();
    nested(field, [&](Fields& inside) { describe(inside, *value); });
  }
  template <class T>
  void objects(const Field& field, std::vector<T>& values) {
    list(
        field, values.size(), [&](std::size_t count) { values.resize(count); },
        [&](Fields& inside, std::size_t i) { describe(inside, values[i]); });
  }
  // Visits a layer's deformer, chosen by `name`, and its parameters.
  virtual void deformer(const Field& name, const Field& parameters, DeformerParameters&);

  // Reports a conflict between members at the member `name`, in words, if `wrong`. `rule`: the same as JSON Schema of
  // an object, if expressible.
  virtual void refuse(bool /*wrong*/, std::string_view /*name*/, std::string_view /*why*/,
                      std::string_view /*rule*/ = "") {}

  // Reports a conflict at the member `name`, in words, if all of `given` are set and none of `missing` is.
  void conflict(std::string_view name, std::initializer_list<Given> given, std::initializer_list<Given> missing,
                std::string_view why);
  // Reports a conflict if more than one of the members is set.
  void at_most_one(std::initializer_list<Given> members, std::string_view why);
  // Reports a conflict unless exactly one of the members is set.
  void exactly_one(std::initializer_list<Given> members, std::string_view why);

 protected:
  // Visits the rule of a conflict, whether broken or not.
  virtual void clause(std::span<const Given> /*given*/, std::span<const Given> /*missing*/) {}

  using Resize = std::function<void(std::size_t)>;
  using Item = std::function<void(Fields&, std::size_t)>;

  virtual void list(const Field&, std::size_t size, const Resize&, const Item& item) {
    for (std::size_t i = 0; i < size; ++i) item(*this, i);
  }
};

// Describes a range: "a number > 0", "a number from 0 to 1", "an integer from 1 to 16".
std::string text_of(Range range);
std::string text_of(IntegerRange range);
bool contains(Range range, float value);

}  // namespace pelt
