// SPDX-License-Identifier: MIT
// Reads the JSON of cases; errors name the location.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <glm/glm.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pelt::conformance {

using Json = nlohmann::json;

// Thrown by a node, and caught by load_case.
struct Malformed {
  std::string what;
};

// A value and its location in the file; every access checks the type.
class Node {
 public:
  Node(const Json& json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw Malformed{fmt::format("{}: {}", pointer_.empty() ? "/" : pointer_, what)};
  }

  bool has(const char* key) const { return json_.is_object() && json_.contains(key) && !json_.at(key).is_null(); }
  bool is_null() const { return json_.is_null(); }
  bool is_array() const { return json_.is_array(); }
  bool is_string() const { return json_.is_string(); }

  Node at(const char* key) const {
    if (!json_.is_object()) refuse("must be an object");
    if (!json_.contains(key)) refuse(fmt::format("the key '{}' is missing", key));
    return {json_.at(key), fmt::format("{}/{}", pointer_, key)};
  }

  std::size_t size() const {
    if (!json_.is_array()) refuse("must be an array");
    return json_.size();
  }

  Node item(std::size_t i) const { return {json_.at(i), fmt::format("{}/{}", pointer_, i)}; }

  void expect_size(std::size_t wanted) const {
    if (size() != wanted) refuse(fmt::format("must have {} entries, has {}", wanted, size()));
  }

  std::string text() const {
    if (!json_.is_string()) refuse("must be a string");
    return json_.get<std::string>();
  }

  bool flag() const {
    if (!json_.is_boolean()) refuse("must be true or false");
    return json_.get<bool>();
  }

  // Returns a number that fits a float.
  double number() const {
    if (!json_.is_number()) refuse("must be a number");
    const double value = json_.get<double>();
    if (std::abs(value) > std::numeric_limits<float>::max()) refuse("is too large");
    return value;
  }

  // Returns an index in [0, end).
  std::uint32_t index(std::size_t end) const {
    if (!json_.is_number_unsigned() || json_.get<std::uint64_t>() >= end) {
      refuse(fmt::format("must be an index below {}", end));
    }
    return json_.get<std::uint32_t>();
  }

  template <class Read>
  auto each(const Read& read) const {
    std::vector<decltype(read(*this))> values;
    values.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) values.push_back(read(item(i)));
    return values;
  }

 private:
  const Json& json_;
  std::string pointer_;
};

inline glm::dvec3 read_vector(const Node& node) {
  node.expect_size(3);
  return {node.item(0).number(), node.item(1).number(), node.item(2).number()};
}

// Reads 12 numbers, a 3x4 matrix row by row.
inline glm::dmat4 read_frame(const Node& node) {
  node.expect_size(12);
  glm::dmat4 matrix(1.0);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 4; ++column) {
      matrix[column][row] = node.item(static_cast<std::size_t>(4 * row + column)).number();
    }
  }
  return matrix;
}

inline std::vector<glm::vec3> narrowed(const std::vector<glm::dvec3>& values) { return {values.begin(), values.end()}; }

}  // namespace pelt::conformance
