// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/grammar/byte_set.h"
#include "frontends/grammar/frame_arena.h"
#include "frontends/grammar/grammar.h"
#include "frontends/grammar/seen_in.h"

namespace infer {

// A place in the grammar where a byte is expected, and the stack to return to. What a, b and c hold
// depends on the kind of the node.
struct GrammarPosition {
  // Of strings, objects and arrays; others have one phase only.
  enum Phase : uint8_t { kOpen, kInside, kFirst, kKey, kColon, kValue, kAfter, kNext };

  uint32_t node = 0;
  uint32_t stack = FrameArena::kBottom;
  uint32_t a = 0;  // bytes of a literal, state of a number, white space; a packed PartialChar
  uint32_t b = 0;  // code points of a string so far
  uint32_t c = 0;  // state of a pattern, node of a StringSet
  Phase phase = kOpen;

  friend bool operator==(const GrammarPosition&, const GrammarPosition&) = default;
  template <class H>
  friend H AbslHashValue(H hash, const GrammarPosition& p) {
    return H::combine(std::move(hash), p.node, p.stack, p.a, p.b, p.c,
                      static_cast<uint8_t>(p.phase));
  }
};

// All places that a text can have led to. Means something to the matcher that made it.
struct GrammarState {
  std::vector<GrammarPosition> positions;
  bool accepts = false;  // the text may end here

  bool IsDead() const { return positions.empty() && !accepts; }
  void Clear() {
    positions.clear();
    accepts = false;
  }
};

// Follows a text through a grammar byte by byte. The work for a byte is bounded: where a grammar is
// so ambiguous that a byte leads to more than kMaxPositions, or through more than kMaxFollowed
// rules and their ends on the way there, the text is refused. Not thread-safe; any number of
// matchers may share a grammar.
class GrammarMatcher {
 public:
  static constexpr size_t kMaxPositions = 512;
  static constexpr size_t kMaxFollowed = 4 * kMaxPositions;

  explicit GrammarMatcher(std::shared_ptr<const Grammar> grammar);

  const GrammarState& start() const { return start_; }
  // Moves from one state to the next, which must be different objects. The result is dead if no
  // text goes on with this byte.
  void Step(const GrammarState& from, uint8_t byte, GrammarState* to);
  // Moves one position only.
  void StepPosition(const GrammarPosition& position, uint8_t byte, GrammarState* to);

  // Moves a position inside a string, by a byte that does not close it. Returns false if the byte
  // is refused.
  bool StepInside(const StringRule& rule, uint8_t byte, GrammarPosition* position) const;

  // Returns bytes of which one comes next; not all of them need be possible.
  ByteSet NextBytes(const GrammarState& state) const;
  // The byte that must come next, where that is certain at little cost.
  std::optional<uint8_t> OnlyByte(const GrammarState& state) const;

  // Whether a text was refused because a limit was reached and not because of the grammar.
  bool reached_limit() const { return reached_limit_; }

  // Appends a key that states of all matchers of the grammar have in common if the same texts of up
  // to `reach` bytes can follow, whatever bounded counts have come to far from their bounds.
  // Returns false if the key would be too long.
  bool AppendKey(const GrammarState& state, uint32_t reach, std::vector<uint32_t>* key) const;

  // How many nodes have been entered or returned from, at most kMaxFollowed for each byte.
  size_t followed() const { return followed_; }

  const Grammar& grammar() const { return *grammar_; }
  size_t frames() const { return frames_.size(); }
  // Drops the stacks that only former states need. States other than `state` lose their meaning.
  void Compact(GrammarState* state);

  // The keys that may come next where an object expects one, as numbers from `first` to `last`;
  // none if last is below first.
  struct KeyChoice {
    uint32_t first = 1;
    uint32_t last = 0;
    bool additional = false;
    bool any() const { return additional || first <= last; }
  };
  KeyChoice KeysAt(const GrammarPosition& position) const;

 private:
  using Frame = FrameArena::Frame;
  // What remains to be followed without reading a byte: `node` is to be entered, or the frame on
  // top of the stack goes on. `fresh` frames on top were pushed since the last byte.
  struct Pending {
    enum Kind : uint8_t { kEnter, kReturn } kind;
    uint32_t node;
    uint32_t stack;
    uint32_t fresh;
    friend bool operator==(const Pending&, const Pending&) = default;
    template <class H>
    friend H AbslHashValue(H hash, const Pending& p) {
      return H::combine(std::move(hash), static_cast<uint8_t>(p.kind), p.node, p.stack, p.fresh);
    }
  };

  void Begin(GrammarState* to);
  void Move(const GrammarPosition& position, uint8_t byte, GrammarState* to);
  bool Queue(const Pending& pending);
  bool Enter(uint32_t node, uint32_t stack, uint32_t fresh);
  void Return(uint32_t stack, uint32_t fresh);
  void Follow(GrammarState* to);
  void FollowEnter(const Pending& pending, GrammarState* to);
  void FollowReturn(const Pending& pending, GrammarState* to);
  void ContinueSequence(uint32_t node, uint32_t child, uint32_t stack, uint32_t fresh);
  void ContinueRepeat(uint32_t node, uint32_t count, uint32_t stack, uint32_t fresh);
  void Add(const GrammarPosition& position, GrammarState* to);
  std::optional<uint32_t> Push(const Frame& frame);
  void AppendStack(uint32_t stack, uint32_t reach, std::vector<uint32_t>* key) const;

  void AddBytesInside(const GrammarPosition& position, ByteSet* bytes) const;
  std::optional<uint8_t> OnlyByteAt(const GrammarPosition& position) const;
  std::optional<uint8_t> OnlyByteOfSet(const StringSet& set, uint32_t node, uint32_t low,
                                       uint32_t high) const;
  // Whether characters of known strings (keys and values of enum) are escaped only if they must be,
  // as in the texts that models write.
  bool EscapesOnlyIfNeeded() const { return grammar_->whitespace == JsonWhitespace::kTidy; }
  void StepString(const GrammarPosition& position, uint8_t byte, GrammarState* to);
  bool StringGoesOn(const StringRule& rule, const GrammarPosition& position) const;
  void StepObject(const GrammarPosition& position, uint8_t byte, GrammarState* to);
  void StepKey(const GrammarPosition& position, uint8_t byte, GrammarState* to);
  void EndKey(const GrammarPosition& position, GrammarState* to);
  void ExpectValue(const GrammarPosition& position, GrammarState* to);
  bool MayClose(const GrammarPosition& position) const;
  bool ObjectMayEnd(const ObjectRule& rule, const Frame& frame) const;
  void StepArray(const GrammarPosition& position, uint8_t byte, GrammarState* to);
  void ExpectItem(const GrammarPosition& position, GrammarState* to);
  bool StepSpace(const GrammarPosition& position, uint8_t byte, GrammarState* to);

  std::shared_ptr<const Grammar> grammar_;
  FrameArena frames_;
  GrammarState start_;
  // Of the byte that is being read, as are the positions of the state that it leads to: what has
  // been followed stays, so that nothing is followed twice.
  std::vector<Pending> pending_;
  size_t next_pending_ = 0;
  size_t followed_ = 0;
  SeenIn<Pending> seen_pending_;
  SeenIn<GrammarPosition> seen_positions_;
  bool reached_limit_ = false;
};

}  // namespace infer
