// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdio>
#include <string>

namespace pelt::samples {

// Redraws one line on stderr and removes it at the end; does nothing if stderr is not a terminal. With `lines`, prints
// a line for every percent instead, for programs.
class ProgressBar {
 public:
  explicit ProgressBar(bool lines = false) : lines_(lines) {}
  ~ProgressBar() {
    if (shown_ >= 0 && !lines_) fmt::print(stderr, "\r\033[K");
  }

  void show(double fraction, const std::string& what) {
    const int percent = static_cast<int>(100 * std::clamp(fraction, 0.0, 1.0));
    if ((!terminal_ && !lines_) || percent == shown_) return;
    shown_ = percent;
    if (lines_) {
      fmt::print(stderr, "{}% {}\n", percent, what);
      return;
    }
    constexpr int kWidth = 30;
    const int filled = kWidth * percent / 100;
    fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {:3}%  {}", "", filled, "", kWidth - filled, percent, what);
    std::fflush(stderr);
  }

 private:
#ifdef _WIN32
  bool terminal_ = ::_isatty(::_fileno(stderr)) != 0;
#else
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
#endif
  bool lines_;
  int shown_ = -1;
};

}  // namespace pelt::samples
