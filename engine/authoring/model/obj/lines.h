// SPDX-License-Identifier: MIT
// Lines and tokens of Wavefront files.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <pelt/finite.h>

namespace pelt {

// Takes the first line off a text, with any line ending.
inline std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  text.remove_prefix(line.size());
  text.remove_prefix(text.starts_with("\r\n") ? 2 : std::min<std::size_t>(text.size(), 1));
  return line;
}

// Takes the first token off a line.
inline std::string_view next_token(std::string_view& line) {
  constexpr std::string_view kSpace = " \t";
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  const std::string_view token = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(token.size());
  return token;
}

// Returns a text without surrounding space.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

// Returns true for numbers that the format allows; the parser would take anything else for 0, or a number of very many
// digits for infinity.
inline bool is_obj_number(std::string_view token) {
  constexpr std::size_t kMaxLength = 100;
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  double value = 0;
  const auto end = std::from_chars(token.data(), token.data() + token.size(), value);
  return token.size() <= kMaxLength && end.ec == std::errc{} && end.ptr == token.data() + token.size() &&
         std::abs(value) <= kMaxCoordinate;
}

// Returns true for texts of NaN and infinity from various programs: nan, -nan(ind), inf, -1.#IND00, 1.#QNAN.
inline bool is_not_finite(std::string_view token) {
  if (token.starts_with('+') || token.starts_with('-')) token.remove_prefix(1);
  const auto begins = [&](std::string_view word) {
    return token.size() >= word.size() && std::equal(word.begin(), word.end(), token.begin(), [](char a, char b) {
             return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b);
           });
  };
  return begins("nan") || begins("inf") || begins("1.#");
}

}  // namespace pelt
