// SPDX-License-Identifier: MIT
#include "engine/character/core/formatted.h"

#include <charconv>
#include <cmath>

namespace pelt {
namespace detail {
namespace {

class Writer {
 public:
  Writer(std::string& text, const TextPiece& piece) : text_(text), piece_(piece) {}

  void operator()(std::string_view value) { text_ += value; }

  void operator()(std::int64_t value) { append(value); }

  void operator()(std::uint64_t value) {
    if (piece_.style != 'x') return append(value);
    for (int digit = piece_.digits; digit-- > 0;) text_ += "0123456789abcdef"[value >> (4 * digit) & 0xf];
  }

  template <std::floating_point T>
  void operator()(T value) {
    if (piece_.style == 'g') return append(value, std::chars_format::general, piece_.digits);
    if (piece_.style == 'f') return append(value, std::chars_format::fixed, piece_.digits);
    if (!std::isfinite(value)) return append(value);
    append_shortest(value);
  }

 private:
  template <class... How>
  void append(How... how) {
    char buffer[400];  // the largest double has 309 digits before its decimals
    text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, how...).ptr);
  }

  // Writes the digits of the scientific form without an exponent where that takes few zeros.
  template <class T>
  void append_shortest(T value) {
    char buffer[40];
    const std::string_view whole(
        buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr - buffer);
    const std::size_t end = whole.find('e');
    int exponent = 0;
    std::from_chars(whole.data() + end + (whole[end + 1] == '+' ? 2 : 1), whole.data() + whole.size(), exponent);
    if (exponent < -4 || exponent >= 16) return (*this)(whole);
    std::string digits;
    for (const char c : whole.substr(0, end)) {
      if (c == '-') {
        text_ += c;
      } else if (c != '.') {
        digits += c;
      }
    }
    if (exponent < 0) digits.insert(0, static_cast<std::size_t>(-exponent), '0');
    const std::size_t before_point = exponent < 0 ? 1 : static_cast<std::size_t>(exponent) + 1;
    if (digits.size() < before_point) digits.resize(before_point, '0');
    if (digits.size() > before_point) digits.insert(before_point, 1, '.');
    text_ += digits;
  }

  std::string& text_;
  const TextPiece& piece_;
};

}  // namespace

std::string formatted(std::string_view pattern, std::span<const TextValue> values) {
  std::string text;
  for (const TextValue& value : values) {
    const TextPiece piece = take_piece(pattern);
    text += piece.before;
    std::visit(Writer(text, piece), value);
  }
  return text += pattern;
}

}  // namespace detail

std::string joined(std::span<const std::string> texts, std::string_view between) {
  std::string whole;
  for (const std::string& text : texts) {
    if (&text != texts.data()) whole += between;
    whole += text;
  }
  return whole;
}

}  // namespace pelt
