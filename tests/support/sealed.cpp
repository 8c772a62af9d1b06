// SPDX-License-Identifier: MIT
#include "tests/support/sealed.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace pelt::test {

Bytes sealed(Bytes bytes) {
  put(bytes, kSizeAt, std::uint64_t{bytes.size()});
  put(bytes, kChecksumAt, std::uint64_t{XXH3_64bits(bytes.data() + kHeaderSize, bytes.size() - kHeaderSize)});
  return bytes;
}

Bytes replaced(Bytes bytes, std::span<const std::byte> known, std::span<const std::byte> wanted) {
  const auto at = std::search(bytes.begin(), bytes.end(), known.begin(), known.end());
  const bool once = at != bytes.end() && std::search(at + 1, bytes.end(), known.begin(), known.end()) == bytes.end();
  EXPECT_TRUE(once && known.size() == wanted.size()) << "the bytes to be replaced do not stand in the file once";
  if (once && known.size() == wanted.size()) std::copy(wanted.begin(), wanted.end(), at);
  return sealed(std::move(bytes));
}

}  // namespace pelt::test
