// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/key_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>

namespace infer {
namespace {

using Kind = KeyReader::Key::Kind;

class KeyReaderTest : public ::testing::Test {
 protected:
  KeyReaderTest() { EXPECT_EQ(pipe(ends_), 0); }
  ~KeyReaderTest() override {
    close(ends_[0]);
    CloseWriter();
  }
  void Write(const std::string& text) {
    EXPECT_EQ(write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void CloseWriter() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  int reader() const { return ends_[0]; }
  KeyReader Keys(uint64_t limit = 1 << 20) {
    return KeyReader(reader(), limit, [this] { return !stop_; });
  }
  // All keys until the end: characters as text, pastes in brackets.
  std::string Typed(KeyReader keys) {
    std::string typed;
    for (;;) {
      const KeyReader::Key key = keys.Next();
      if (key.kind == Kind::kEnd) return typed;
      if (key.kind == Kind::kPaste) typed += "{" + key.paste + (key.cut ? "..." : "") + "}";
      if (key.kind == Kind::kCharacter && key.character < 128) {
        typed += static_cast<char>(key.character);
      } else if (key.kind == Kind::kCharacter) {
        typed += "U+" + std::to_string(key.character) + ";";
      }
    }
  }

  std::atomic<bool> stop_{false};

 private:
  int ends_[2] = {-1, -1};
};

TEST_F(KeyReaderTest, HandsOutCharacters) {
  Write("ab\x1b[A\xE6\xBC\xA2\xFFz");
  CloseWriter();
  EXPECT_EQ(Typed(Keys()), "ab\x1b[AU+28450;U+65533;z");
}

TEST_F(KeyReaderTest, APasteIsOnePieceWithNewlines) {
  Write("x\x1b[200~one\rtwo\r\nthree\n\x1b[31m\x1b[201~y");
  CloseWriter();
  EXPECT_EQ(Typed(Keys()), "x{one\ntwo\nthree\n\x1b[31m}y");
}

TEST_F(KeyReaderTest, SequencesMayComeInPieces) {
  std::thread writer([this] {
    for (char c : std::string("\x1b[200~\xE6\xBC\xA2\x1b[201\x1b[201~!")) Write({c});
    CloseWriter();
  });
  EXPECT_EQ(Typed(Keys()), "{\xE6\xBC\xA2\x1b[201}!");
  writer.join();
}

TEST_F(KeyReaderTest, ALoneEscapeIsAKey) {
  Write("\x1b");
  KeyReader keys = Keys();
  EXPECT_EQ(keys.Next().character, U'\x1b');
  Write("[200");
  CloseWriter();
  EXPECT_EQ(Typed(std::move(keys)), "[200");
}

TEST_F(KeyReaderTest, ALongPasteIsCut) {
  Write("\x1b[200~" + std::string(1000, 'a') + "\x1b[201~b");
  CloseWriter();
  EXPECT_EQ(Typed(Keys(10)), "{aaaaaaaaaa...}b");
}

TEST_F(KeyReaderTest, CtrlCEndsAPasteWithoutEnd) {
  Write("\x1b[200~abc\x03");
  EXPECT_EQ(Keys().Next().character, U'\x03');
}

TEST_F(KeyReaderTest, StopsWaitingWhenTold) {
  stop_ = true;
  EXPECT_EQ(Keys().Next().kind, Kind::kStopped);
  Write("\x1b[200~abc");
  EXPECT_EQ(Keys().Next().kind, Kind::kStopped) << "in a paste";
}

TEST_F(KeyReaderTest, RandomBytesAreReadToTheirEnd) {
  std::mt19937 random(1);
  const std::string parts[] = {"\x1b[200~", "\x1b[201~", "\x1b", "[20",
                               "\r",        "\xE6\xBC",  "a",    "\x9b"};
  for (int round = 0; round < 300; ++round) {
    std::string bytes;
    for (int i = 0; i < 40; ++i) bytes += parts[random() % std::size(parts)];
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(ends[1]);
    KeyReader keys(ends[0], 20, [] { return true; });
    size_t count = 0;
    while (keys.Next().kind != Kind::kEnd) ++count;
    EXPECT_LE(count, bytes.size());
    close(ends[0]);
  }
}

}  // namespace
}  // namespace infer
