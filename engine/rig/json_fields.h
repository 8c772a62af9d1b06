// SPDX-License-Identifier: MIT
// JSON objects and structs. One function a struct, describe(fields, struct), in namespace pelt, names its keys. Given a
// Reader it reads them, given a Writer it writes them, so that the two cannot drift.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <pelt/rig.h>

namespace pelt::json_fields {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// Syntax only: at most 16 MiB, nested at most 32 deep, no key twice in an object. Errors name `source`, line and
// column.
inline constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
Result<Json> parse_json(std::string_view json, const std::string& source);

struct Range {
  const char* text;
  bool (*contains)(float);
};

template <class E>
struct Choice {
  std::string_view name;
  E value;
};

// The first thing found wrong.
struct Problem {
  std::string source;
  std::optional<Error> error;

  void report(const std::string& pointer, const std::string& what, ErrorCode code = ErrorCode::kInvalidFile) {
    if (!error) error = Error{code, fmt::format("{}: {}: {}", source, pointer.empty() ? "/" : pointer, what)};
  }
};

// `pointer` (RFC 6901) and one of its keys.
std::string child(const std::string& pointer, std::string_view key);

// Reads one JSON object. A key that is absent leaves its value, that is the default, as it is.
class Reader {
 public:
  Reader(const Json& object, std::string pointer, Problem& problem);

  void text(std::string_view key, std::string& value);
  void texts(std::string_view key, std::vector<std::string>& values);
  void numbers(std::string_view key, std::vector<float>& values, Range range);
  void vector(std::string_view key, glm::vec3& value);
  void vector(std::string_view key, glm::vec2& value);
  void vector_or(std::string_view word, std::string_view key, std::optional<glm::vec3>& value);
  void vectors(std::string_view key, std::vector<glm::vec3>& values);
  void integers(std::string_view key, std::array<std::uint32_t, 2>& values);  // >= 1

  // Each an index, or [first, last].
  void ranges(std::string_view key, std::vector<IndexRange>& values);

  // Each [number, x, y, z].
  void offsets(std::string_view key, std::vector<VertexOffset>& values);

  // Each [at, value], `at` ascending.
  void keys(std::string_view key, std::vector<CurveKey>& values, Range at, Range value);

  // The same of one key or more; a number alone is a key at 0, `word` stands for no keys.
  void keys_or(std::string_view word, std::string_view key, std::vector<CurveKey>& values, Range at, Range value);

  void flag(std::string_view key, bool& value);
  void number(std::string_view key, float& value, Range range);
  void number_or(std::string_view word, std::string_view key, std::optional<float>& value, Range range);

  // An integer >= 1.
  void integer(std::string_view key, std::uint32_t& value, std::uint32_t most = kMostInteger);

  // `word` stands for 0.
  void integer_or(std::string_view word, std::string_view key, std::uint32_t& value);

  // An integer >= 1; `zero_word` stands for 0, `word` for none.
  void integer_or(std::string_view word, std::string_view zero_word, std::string_view key,
                  std::optional<std::uint32_t>& value);

  // An integer >= 0.
  void count(std::string_view key, std::uint32_t& value);
  void count_or(std::string_view word, std::string_view key, std::optional<std::uint32_t>& value);

  template <class E, std::size_t n>
  void choice(std::string_view key, E& value, std::span<const Choice<E>, n> choices) {
    const Json* json = find(key);
    if (json == nullptr) return;
    std::vector<std::string_view> names;
    for (const Choice<E>& choice : choices) {
      if (*json == choice.name) value = choice.value;
      names.push_back(choice.name);
    }
    expect_name(key, *json, names);
  }

  template <class T>
  void object(std::string_view key, T& value) {
    if (const Json* json = find(key)) read_object(*json, child(pointer_, key), value);
  }

  template <class T>
  void optional_object(std::string_view key, std::optional<T>& value) {
    if (const Json* json = find(key)) read_object(*json, child(pointer_, key), value.emplace());
  }

  template <class T>
  void objects(std::string_view key, std::vector<T>& values) {
    each(key, "an array",
         [&](const Json& json, const std::string& pointer) { read_object(json, pointer, values.emplace_back()); });
  }

  // One of the alternatives of a variant, named by `entries`, a range of things with a name and defaults.
  template <class Variant, class Entries>
  void alternative(std::string_view name_key, std::string_view key, Variant& value, const Entries& entries) {
    const Json* name = require(name_key);
    const Json* json = find(key);
    if (name == nullptr) return;
    std::vector<std::string_view> names;
    for (const auto& entry : entries) {
      if (*name == entry.name) value = entry.defaults;
      names.push_back(entry.name);
    }
    if (!expect_name(name_key, *name, names) || json == nullptr) return;
    std::visit([&](auto& own) { read_object(*json, child(pointer_, key), own); }, value);
  }

  // Must be `format`, which is `family` and a version.
  void format(std::string_view key, std::string_view format, std::string_view family);

  const Json* require(std::string_view key);

  // What the key holds, as it stands; null where it is absent.
  const Json* find(std::string_view key);

  void refuse(bool wrong, std::string_view key, const char* why) {
    if (wrong) problem_.report(child(pointer_, key), why);
  }

  // Refuses a key that has no place beside what was read before it.
  void refuse_key(std::string_view key, const char* why) { refuse(find(key) != nullptr, key, why); }

  // Refuses the keys that nobody asked for; after all others.
  void finish();

 private:
  static constexpr std::uint32_t kMostInteger = std::numeric_limits<std::uint32_t>::max();

  bool expect(bool right, std::string_view key, const Json& json, std::string_view what);
  bool expect_name(std::string_view key, const Json& json, std::span<const std::string_view> names);

  // read(json, pointer) for each entry of an array, until one is wrong.
  template <class Read>
  void each(std::string_view key, std::string_view what, const Read& read) {
    const Json* json = find(key);
    if (json == nullptr || !expect(json->is_array(), key, *json, what)) return;
    for (std::size_t i = 0; i < json->size() && !problem_.error; ++i) {
      read((*json)[i], fmt::format("{}/{}", child(pointer_, key), i));
    }
  }

  template <class T>
  void read_object(const Json& json, std::string pointer, T& value) {
    Reader reader(json, std::move(pointer), problem_);
    describe(reader, value);
    reader.finish();
  }

  void read_text(const Json& json, const std::string& pointer, std::string& value);
  float read_number(const Json& json, const std::string& pointer, Range range);
  void read_numbers(const Json& json, const std::string& pointer, std::vector<float>& values, Range range);
  void read_vector(const Json& json, const std::string& pointer, glm::vec3& value);
  void read_keys(const Json& json, const std::string& pointer, std::vector<CurveKey>& values, Range at, Range value);

  const Json& object_;
  std::string pointer_;
  Problem& problem_;
  std::vector<std::string_view> known_;
};

// Writes one JSON object, in the order of the calls.
class Writer {
 public:
  explicit Writer(OrderedJson& object) : object_(object) { object_ = OrderedJson::object(); }

  void text(const char* key, const std::string& value) { object_[key] = value; }
  void texts(const char* key, const std::vector<std::string>& values) { object_[key] = values; }
  void numbers(const char* key, const std::vector<float>& values, Range);
  void vector(const char* key, const glm::vec3& value);
  void vector(const char* key, const glm::vec2& value);
  void vector_or(const char* word, const char* key, const std::optional<glm::vec3>& value) {
    if (value) return vector(key, *value);
    object_[key] = word;
  }
  void vectors(const char* key, const std::vector<glm::vec3>& values);
  void integers(const char* key, const std::array<std::uint32_t, 2>& values) { object_[key] = values; }
  void ranges(const char* key, const std::vector<IndexRange>& values);
  void offsets(const char* key, const std::vector<VertexOffset>& values);
  void keys(const char* key, const std::vector<CurveKey>& values, Range, Range);
  void keys_or(const char* word, const char* key, const std::vector<CurveKey>& values, Range at, Range value);
  void flag(const char* key, bool value) { object_[key] = value; }
  void number(const char* key, float value, Range);
  void number_or(const char* word, const char* key, std::optional<float> value, Range range) {
    if (value) return number(key, *value, range);
    object_[key] = word;
  }
  void integer(const char* key, std::uint32_t value, std::uint32_t = 0) { object_[key] = value; }
  void integer_or(const char* word, const char* key, std::uint32_t value) {
    if (value != 0) return integer(key, value);
    object_[key] = word;
  }
  void integer_or(const char* word, const char* zero_word, const char* key, std::optional<std::uint32_t> value) {
    if (value) return integer_or(zero_word, key, *value);
    object_[key] = word;
  }
  void count(const char* key, std::uint32_t value) { object_[key] = value; }
  void count_or(const char* word, const char* key, std::optional<std::uint32_t> value) {
    if (value) return count(key, *value);
    object_[key] = word;
  }
  template <class E, std::size_t n>
  void choice(const char* key, E value, std::span<const Choice<E>, n> choices) {
    for (const Choice<E>& choice : choices) {
      if (choice.value == value) object_[key] = choice.name;
    }
  }
  template <class T>
  void object(const char* key, T& value) {
    Writer writer(object_[key]);
    describe(writer, value);
  }
  template <class T>
  void optional_object(const char* key, std::optional<T>& value) {
    if (value) object(key, *value);
  }
  template <class T>
  void objects(const char* key, std::vector<T>& values) {
    OrderedJson& array = object_[key] = OrderedJson::array();
    for (T& value : values) {
      Writer writer(array.emplace_back());
      describe(writer, value);
    }
  }
  template <class Variant, class Entries>
  void alternative(const char* name_key, const char* key, Variant& value, const Entries& entries) {
    for (const auto& entry : entries) {
      if (entry.defaults.index() == value.index()) object_[name_key] = entry.name;
    }
    std::visit([&](auto& own) { object(key, own); }, value);
  }
  void format(const char* key, std::string_view format, std::string_view) { object_[key] = format; }
  void refuse(bool, const char*, const char*) {}
  void refuse_key(const char*, const char*) {}
  void require(const char*) {}

 private:
  OrderedJson& object_;
};

}  // namespace pelt::json_fields
