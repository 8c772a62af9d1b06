// SPDX-License-Identifier: MIT
// Formats error messages and other text for people, without a library.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace pelt {

namespace detail {

using TextValue = std::variant<std::string_view, std::int64_t, std::uint64_t, float, double>;

template <class T>
TextValue text_value(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string_view(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else if constexpr (std::is_same_v<T, char>) {
    return std::string_view(&value, 1);
  } else {
    static_assert(std::integral<T> && !std::is_same_v<T, bool>);
    if constexpr (std::is_signed_v<T>) return std::int64_t{value};
    return static_cast<std::uint64_t>(value);
  }
}

// The text before the next placeholder, and the format of its value.
struct TextPiece {
  std::string_view before;
  char style = 0;  // 0: default; 'g', 'f' or 'x'; '.': no further placeholder
  int digits = 0;  // of 'g', 'f' and 'x'
};

// Takes the next piece off a pattern; style '?' means an invalid placeholder.
constexpr TextPiece take_piece(std::string_view& pattern) {
  const std::size_t open = pattern.find('{');
  TextPiece piece{pattern.substr(0, open)};
  if (open == std::string_view::npos) {
    piece.style = piece.before.find('}') == std::string_view::npos ? '.' : '?';
    pattern = {};
    return piece;
  }
  const std::size_t close = pattern.find('}', open);
  const std::string_view style = pattern.substr(open + 1, close == std::string_view::npos ? close : close - open - 1);
  pattern.remove_prefix(close == std::string_view::npos ? pattern.size() : close + 1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (style.empty()) return piece;
  piece.style = '?';
  if (style == ":g") {
    piece.style = 'g';
    piece.digits = 6;
  }
  if (style.size() == 4 && style.starts_with(":.") && digit(style[2]) && (style[3] == 'f' || style[3] == 'g')) {
    piece.style = style[3];
    piece.digits = style[2] - '0';
  }
  if (style.size() >= 4 && style.starts_with(":0") && style.back() == 'x') {
    bool digits = true;
    for (const char c : style.substr(2, style.size() - 3)) {
      digits = digits && digit(c);
      piece.digits = 10 * piece.digits + (c - '0');
    }
    if (digits && piece.digits >= 1 && piece.digits <= 16) piece.style = 'x';
  }
  return piece;
}

void pattern_does_not_fit_the_values();  // is not constexpr, so a TextPattern that calls it does not compile

// Writes as much of the text as fits, and returns its full length. Does not allocate.
std::size_t write_formatted(std::span<char> room, std::string_view pattern, std::span<const TextValue> values);
std::string formatted(std::string_view pattern, std::span<const TextValue> values);

}  // namespace detail

// A pattern with one placeholder per value; any other pattern does not compile.
template <class... Values>
class TextPattern {
 public:
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view>
  consteval TextPattern(const Text& text) : text_(text) {
    std::string_view rest = text_;
    const bool right = (... && fits<Values>(detail::take_piece(rest).style));
    if (!right || detail::take_piece(rest).style != '.') detail::pattern_does_not_fit_the_values();
  }
  std::string_view text() const { return text_; }

 private:
  template <class Value>
  static constexpr bool fits(char style) {
    return style == 0 || (style == 'x' && std::is_unsigned_v<Value>) ||
           ((style == 'g' || style == 'f') && std::is_floating_point_v<Value>);
  }

  std::string_view text_;
};

// Returns the pattern with its placeholders replaced by values: text, letters or numbers. A placeholder is
//
//   {}      text, a letter, an integer, or the shortest decimal that reads back as the same float: 0.1, 100000, 1e+16
//   {:g}    a float with six digits, as printf; {:.4g} with four
//   {:.2f}  a float with two decimals, in any locale
//   {:08x}  an unsigned integer as its last eight hexadecimal digits; at most 16
template <class... Values>
std::string formatted(std::type_identity_t<TextPattern<Values...>> pattern, const Values&... values) {
  const detail::TextValue list[] = {{}, detail::text_value(values)...};
  return detail::formatted(pattern.text(), std::span(list).subspan(1));
}

// Writes the same into an array, null-terminated and truncated to fit. Does not allocate.
template <std::size_t size, class... Values>
void write_formatted(char (&text)[size], std::type_identity_t<TextPattern<Values...>> pattern,
                     const Values&... values) {
  const detail::TextValue list[] = {{}, detail::text_value(values)...};
  const std::size_t length = detail::write_formatted({text, size - 1}, pattern.text(), std::span(list).subspan(1));
  text[length < size ? length : size - 1] = 0;
}

// Returns the texts, separated by `between`.
std::string joined(std::span<const std::string> texts, std::string_view between);

}  // namespace pelt
