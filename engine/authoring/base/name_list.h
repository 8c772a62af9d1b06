// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/character/base/formatted.h"

namespace pelt {

// Lists names in a sentence: shows the first few and counts the others, as in "'arm', 'leg', 'tail' and 57 more".
class NameList {
 public:
  void add(std::string_view name) {
    constexpr std::size_t kMaxBytes = 100;
    if (++count_ > kShown) return;
    std::size_t length = std::min(name.size(), kMaxBytes);
    const auto within_letter = [&] { return (static_cast<unsigned char>(name[length]) & 0xC0u) == 0x80u; };  // of UTF-8
    while (length > 0 && length < name.size() && within_letter()) --length;
    shown_.push_back(formatted("'{}'", name.substr(0, length)));
  }

  std::size_t count() const { return count_; }
  bool empty() const { return count_ == 0; }

  std::string text() const {
    const std::string more = count_ > kShown ? formatted(" and {} more", count_ - kShown) : "";
    return formatted("{}{}", joined(shown_, ", "), more);
  }

 private:
  static constexpr std::size_t kShown = 4;
  std::vector<std::string> shown_;
  std::size_t count_ = 0;
};

}  // namespace pelt
