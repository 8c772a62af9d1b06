// SPDX-License-Identifier: MIT
// Lines and tokens of Wavefront files.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <pelt/finite.h>

namespace pelt {

inline constexpr std::string_view kObjSpace = " \t";

// Returns a text without surrounding space.
inline std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kObjSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kObjSpace) + 1);
}

// Returns a line without a comment: '#' with space before and after it, outside quotes. Any other '#' may belong to a
// name, such as "Material #25".
inline std::string_view without_comment(std::string_view line) {
  const auto is_space = [&](std::size_t i) { return i >= line.size() || kObjSpace.find(line[i]) != std::string::npos; };
  if (line.find('#') == std::string_view::npos) return line;
  if (line[std::min(line.find_first_not_of(kObjSpace), line.size())] == '#') return {};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted && line.find('"', i + 1) != std::string_view::npos;
    if (line[i] == '#' && !quoted && is_space(i - 1) && is_space(i + 1)) return line.substr(0, i);
  }
  return line;
}

// The lines of a file, with any line ending, after a mark of UTF-8, without comments. A backslash at the end continues
// a line by the next one.
class ObjLines {
 public:
  explicit ObjLines(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  }

  bool at_end() const { return rest_.empty(); }
  std::size_t number() const { return number_; }  // of the last line taken, from 1; its first if it is continued

  // Takes the next line; it is valid until the next call.
  std::string_view next() {
    number_ = ++read_;
    std::string_view line = next_part();
    if (!is_continued(line)) return line;
    joined_.clear();
    for (;; ++read_) {
      line = trimmed(line);
      const bool goes_on = is_continued(line);
      joined_.append(trimmed(line.substr(0, line.size() - (goes_on ? 1 : 0))));
      if (!goes_on || at_end()) break;
      joined_.push_back(' ');
      line = next_part();
    }
    return joined_;
  }

 private:
  std::string_view next_part() {
    const std::string_view line = rest_.substr(0, rest_.find_first_of("\r\n"));
    rest_.remove_prefix(line.size());
    rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : std::min<std::size_t>(rest_.size(), 1));
    return without_comment(line);
  }

  static bool is_continued(std::string_view line) {
    const std::size_t last = line.find_last_not_of(kObjSpace);
    return last != std::string_view::npos && line[last] == '\\';
  }

  std::string_view rest_;
  std::string joined_;
  std::size_t number_ = 0;
  std::size_t read_ = 0;
};

inline bool is_utf16(std::string_view file) { return file.starts_with("\xff\xfe") || file.starts_with("\xfe\xff"); }

// Takes the first token off a line.
inline std::string_view next_token(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kObjSpace), line.size()));
  const std::string_view token = line.substr(0, line.find_first_of(kObjSpace));
  line.remove_prefix(token.size());
  return token;
}

// Takes the first value off a line; empty at its end, or at a comment.
inline std::string_view next_value(std::string_view& line) {
  const std::string_view token = next_token(line);
  return token.starts_with('#') ? std::string_view() : token;
}

// Returns a name without surrounding space and quotes.
inline std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  const bool is_quoted = text.size() > 1 && text[0] == '"' && text.find('"', 1) == text.size() - 1;
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

// Takes the first name off a line, with or without quotes; empty at its end, or at a comment.
inline std::string_view next_name(std::string_view& line) {
  line = trimmed(line);
  const std::size_t end = line.starts_with('"') ? line.find('"', 1) : std::string_view::npos;
  if (end == std::string_view::npos) return next_value(line);
  const std::string_view name = line.substr(1, end - 1);
  line.remove_prefix(end + 1);
  return name;
}

// Returns the part of a name before a token that begins with '#' and may be a comment; else the name.
inline std::string_view before_hash(std::string_view name) { return trimmed(name.substr(0, name.find(" #"))); }

// Returns a number that the format allows, or none; the parser would take anything else for 0, or a number of very many
// digits for infinity.
inline std::optional<double> obj_number(std::string_view token) {
  constexpr std::size_t kMaxLength = 100;
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  double value = 0;
  const auto end = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool is_number = token.size() <= kMaxLength && end.ec == std::errc{} &&
                         end.ptr == token.data() + token.size() && std::abs(value) <= kMaxCoordinate;
  return is_number ? std::optional(value) : std::nullopt;
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
