// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pelt {

// Names for a sentence, which shows the first of them and counts the rest: "'arm', 'leg', 'tail' and 57 more".
class NameList {
 public:
  void add(std::string_view name) {
    constexpr std::size_t kMostLetters = 100;
    if (++count_ <= kShown) shown_.push_back(fmt::format("'{}'", name.substr(0, kMostLetters)));
  }

  std::size_t count() const { return count_; }
  bool empty() const { return count_ == 0; }

  std::string text() const {
    const std::string more = count_ > kShown ? fmt::format(" and {} more", count_ - kShown) : "";
    return fmt::format("{}{}", fmt::join(shown_, ", "), more);
  }

 private:
  static constexpr std::size_t kShown = 4;
  std::vector<std::string> shown_;
  std::size_t count_ = 0;
};

}  // namespace pelt
