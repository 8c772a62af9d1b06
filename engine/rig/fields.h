// SPDX-License-Identifier: MIT
// A parameter is declared once: describe(fields, struct) tells a Fields each member of a struct: its name, meaning and
// range, and what a text names. Subclasses of Fields use this to read and write JSON (json_fields.h), to write its
// schema (json_schema.h), and to find the files or groups that a rig names (rig_names.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

template <class E>
struct Choice {
  std::string_view name;
  E value;
};

// Visits the members of a struct. A function that is not overridden does nothing, or visits the members inside.
class Fields {
 public:
  virtual ~Fields() = default;

  // Gives the struct's name in the schema and its meaning. It is the first call of a describe.
  virtual void about(std::string_view /*type*/, std::string_view /*meaning*/) {}

  virtual void flag(const Field&, bool&) {}
  virtual void number(const Field&, float&, Range) {}
  // `word` is written for no value.
  virtual void number_or(const Field&, std::string_view /*word*/, std::optional<float>&, Range) {}
  // `zero_word`, unless empty, is written for 0, `word` for no value.
  virtual void integer(const Field&, std::uint32_t&, IntegerRange = {}, std::string_view /*zero_word*/ = "") {}
  virtual void integer_or(const Field&, std::string_view /*word*/, std::optional<std::uint32_t>&, IntegerRange = {},
                          std::string_view /*zero_word*/ = "") {}
  virtual void text(const Field&, std::string&, Names = Names::kNothing) {}
  virtual void name(const Field&, std::string&, Names = Names::kNothing) {}  // a text that must not be empty
  virtual void texts(const Field&, std::vector<std::string>&, Names = Names::kNothing) {}
  virtual void numbers(const Field&, std::vector<float>&, Range) {}
  virtual void vector(const Field&, glm::vec3&, Range = {}) {}  // the range is of each component
  virtual void vector(const Field&, glm::vec2&, Range = {}) {}
  virtual void vector_or(const Field&, std::string_view /*word*/, std::optional<glm::vec3>&) {}
  virtual void vectors(const Field&, std::vector<glm::vec3>&) {}
  virtual void integers(const Field&, std::array<std::uint32_t, 2>&) {}  // both >= 1
  virtual void ranges(const Field&, std::vector<IndexRange>&) {}         // each is an index or [first, last]
  virtual void offsets(const Field&, std::vector<VertexOffset>&) {}      // each is [number, x, y, z]
  virtual void keys(const Field&, std::vector<CurveKey>&, Range /*at*/, Range /*value*/) {}  // by ascending `at`
  // Like keys, with one key or more: a single number is a key at 0, and `word` is written for no keys.
  virtual void keys_or(const Field&, std::string_view /*word*/, std::vector<CurveKey>&, Range, Range) {}

  // `chosen`: index in `names`.
  virtual void chosen(const Field&, std::size_t& /*chosen*/, std::span<const std::string_view> /*names*/) {}
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

  // Returns true if a member that may be missing is there, or should be made.
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
  // Visits a layer's deformer, which `name` chooses, and its parameters.
  virtual void deformer(const Field& name, const Field& parameters, DeformerParameters&);

  // Reports a conflict between members at the member `name`, in words, if `wrong`. `rule`: the same as JSON Schema of
  // an object, if it can be expressed there.
  virtual void refuse(bool /*wrong*/, std::string_view /*name*/, std::string_view /*why*/,
                      std::string_view /*rule*/ = "") {}

 protected:
  using Resize = std::function<void(std::size_t)>;
  using Item = std::function<void(Fields&, std::size_t)>;

  virtual void list(const Field&, std::size_t size, const Resize&, const Item& item) {
    for (std::size_t i = 0; i < size; ++i) item(*this, i);
  }
};

// Describes a region; `group` is the kind of its group.
void describe(Fields& fields, Region& region, Names group);

// Describes a range: "a number > 0", "a number from 0 to 1", "an integer from 1 to 16".
std::string text_of(Range range);
std::string text_of(IntegerRange range);
bool contains(Range range, float value);

}  // namespace pelt
