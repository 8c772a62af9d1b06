// SPDX-License-Identifier: MIT
// Makes the sentences of errors, and other text for people, without a library for it.
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

// The text before the next place for a value, and how to write the value.
struct TextPiece {
  std::string_view before;
  char style = 0;  // 0: plainly; 'g', 'f' or 'x'; '.': there is no further place
  int digits = 0;  // of 'g', 'f' and 'x'
};

// Takes the next piece off a pattern; '?' is the style of a place that is wrong.
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

// Writes as much of the text as there is room for, and returns the length of all of it. Allocates nothing.
std::size_t write_formatted(std::span<char> room, std::string_view pattern, std::span<const TextValue> values);
std::string formatted(std::string_view pattern, std::span<const TextValue> values);

}  // namespace detail

// A pattern with a place for each of the values. The compiler refuses another one.
template <class... Values>
class TextPattern {
 public:
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view>
  consteval TextPattern(const Text& text) : text_(text) {
    std::string_view rest = text_;
    const bool right = (... && fits<Values>(detail::take_piece(rest).style));
    if (!right || detail::take_piece(rest).style != '.') throw "the pattern does not fit the values";
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

// Returns the pattern with the values in its places. Values are text, letters and numbers; a place is
//
//   {}      text, a letter, an integer, or the shortest decimals that give the same float: 0.1, 100000, 1e+16
//   {:g}    a float by six digits, as by printf; {:.4g} by four
//   {:.2f}  a float by two decimals, whatever the locale
//   {:08x}  an unsigned integer by its last eight hexadecimal digits; 16 at most
template <class... Values>
std::string formatted(std::type_identity_t<TextPattern<Values...>> pattern, const Values&... values) {
  const detail::TextValue list[] = {{}, detail::text_value(values)...};
  return detail::formatted(pattern.text(), std::span(list).subspan(1));
}

// Writes the same into an array, ended by a 0, and cuts off what is longer. Allocates nothing.
template <std::size_t size, class... Values>
void write_formatted(char (&text)[size], std::type_identity_t<TextPattern<Values...>> pattern,
                     const Values&... values) {
  const detail::TextValue list[] = {{}, detail::text_value(values)...};
  const std::size_t length = detail::write_formatted({text, size - 1}, pattern.text(), std::span(list).subspan(1));
  text[length < size ? length : size - 1] = 0;
}

// Returns the texts with `between` between them.
std::string joined(std::span<const std::string> texts, std::string_view between);

}  // namespace pelt
