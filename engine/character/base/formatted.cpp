// SPDX-License-Identifier: MIT
#include "engine/character/base/formatted.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace pelt {
namespace detail {
namespace {

// Text of a fixed capacity; the rest is cut off.
class FixedText {
 public:
  explicit FixedText(std::span<char> room) : room_(room) {}

  void append(std::string_view piece) {
    if (length_ < room_.size()) piece.copy(&room_[length_], room_.size() - length_);
    length_ += piece.size();
  }
  std::size_t length() const { return length_; }  // including the text that was cut off

 private:
  std::span<char> room_;
  std::size_t length_ = 0;
};

class Writer {
 public:
  Writer(FixedText& text, const TextPiece& piece) : text_(text), piece_(piece) {}

  void operator()(std::string_view value) { text_.append(value); }

  void operator()(std::int64_t value) { append(value); }

  void operator()(std::uint64_t value) {
    if (piece_.style != 'x') return append(value);
    for (int digit = piece_.digits; digit-- > 0;) put("0123456789abcdef"[value >> (4 * digit) & 0xf]);
  }

  template <std::floating_point T>
  void operator()(T value) {
    if (piece_.style == 'g') return append_rounded(value, std::chars_format::general);
    if (piece_.style == 'f') return append_rounded(value, std::chars_format::fixed);
    if (!std::isfinite(value)) return append(static_cast<float>(value));
    append_shortest(static_cast<Shortest<T>>(value));
  }

 private:
  void put(char letter) { text_.append({&letter, 1}); }

  template <class... How>
  void append(How... how) {
    char buffer[400];  // the largest double has 309 digits before the point
    text_.append({buffer, std::to_chars(buffer, buffer + sizeof buffer, how...).ptr});
  }

#ifdef __wasm__
  // The tables of std::to_chars for double would be a third of what a page loads.
  template <class T>
  using Shortest = float;
  void append_rounded(double value, std::chars_format format) {
    char buffer[400];
    const char* const pattern = format == std::chars_format::fixed ? "%.*f" : "%.*g";
    const int length = std::snprintf(buffer, sizeof buffer, pattern, piece_.digits, value);
    text_.append({buffer, static_cast<std::size_t>(length)});
  }
#else
  template <class T>
  using Shortest = T;
  template <class T>
  void append_rounded(T value, std::chars_format format) {
    append(value, format, piece_.digits);
  }
#endif

  // Expands scientific notation to plain digits if few zeros are needed.
  template <class T>
  void append_shortest(T value) {
    char buffer[40];
    const std::string_view whole(
        buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr - buffer);
    const std::size_t end = whole.find('e');
    int exponent = 0;
    std::from_chars(whole.data() + end + (whole[end + 1] == '+' ? 2 : 1), whole.data() + whole.size(), exponent);
    if (exponent < -4 || exponent >= 16) return (*this)(whole);
    std::string_view digits = whole.substr(0, end);
    if (digits.front() == '-') {
      put('-');
      digits.remove_prefix(1);
    }
    const auto count = static_cast<int>(digits.size() > 1 ? digits.size() - 1 : 1);  // without the decimal point
    for (int power = std::max(exponent, 0); power >= std::min(exponent + 1 - count, 0); --power) {
      if (power == -1) put('.');
      const int at = exponent - power;
      put(at < 0 || at >= count ? '0' : digits[static_cast<std::size_t>(at == 0 ? 0 : at + 1)]);
    }
  }

  FixedText& text_;
  const TextPiece& piece_;
};

}  // namespace

std::size_t write_formatted(std::span<char> room, std::string_view pattern, std::span<const TextValue> values) {
  FixedText text(room);
  for (const TextValue& value : values) {
    const TextPiece piece = take_piece(pattern);
    text.append(piece.before);
    std::visit(Writer(text, piece), value);
  }
  text.append(pattern);
  return text.length();
}

std::string formatted(std::string_view pattern, std::span<const TextValue> values) {
  char first[256];
  const std::size_t length = write_formatted(first, pattern, values);
  if (length <= sizeof first) return {first, length};
  std::string text(length, ' ');
  write_formatted(text, pattern, values);
  return text;
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
