// Stores texts of records for longer than an Entry of the Reader is valid. A repeated text is stored once,
// because a trace can refer to a long text with two bytes. Internal to the Cutter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "fxt/hash.h"

namespace fxt {

class HeldTexts {
  struct Text {
    HeldTexts* owner = nullptr;
    std::string text = {};
    std::size_t hash = 0;
    std::uint64_t number = 0;
    mutable std::size_t uses = 0;
    mutable std::size_t place = 0;  // index in latest_
  };

 public:
  // Keeps a text alive. The HeldTexts must outlive the Use.
  class Use {
   public:
    Use() = default;
    Use(Use&& other) noexcept : text_(std::exchange(other.text_, nullptr)) {}
    Use& operator=(Use&& other) noexcept {
      std::swap(text_, other.text_);
      return *this;
    }
    ~Use() {
      if (text_ != nullptr) text_->owner->end_use(*text_);
    }
    std::string_view text() const { return text_ != nullptr ? std::string_view(text_->text) : ""; }
    // If texts that are held at the same time are equal, their numbers are equal. Older texts have lower
    // numbers.
    std::uint64_t number() const { return text_ != nullptr ? text_->number : 0; }

   private:
    friend class HeldTexts;
    explicit Use(const Text& text) : text_(&text) { ++text.uses; }

    const Text* text_ = nullptr;
  };

  HeldTexts() = default;
  HeldTexts(const HeldTexts&) = delete;
  HeldTexts& operator=(const HeldTexts&) = delete;
  ~HeldTexts() = default;

  Use use(std::string_view text) {
    if (text.empty()) return {};
    // Repeated texts of a trace often have the same address. Therefore, the text is first compared with the
    // latest text at this address. For a long text, this is faster than hashing it.
    const std::size_t place = place_of_text(text, latest_.size());
    const Text*& latest = latest_[place];
    if (latest != nullptr && latest->text == text) return Use(*latest);
    const std::size_t hash = SeededHash()(text);
    auto known = texts_.find(Wanted{text, hash});
    if (known == texts_.end())
      known =
          texts_.insert({.owner = this, .text = std::string(text), .hash = hash, .number = ++last_number_})
              .first;
    if (latest_[known->place] == &*known) latest_[known->place] = nullptr;
    latest = &*known;
    known->place = place;
    return Use(*known);
  }

 private:
  struct Wanted {
    std::string_view text;
    std::size_t hash = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const auto& text) const { return text.hash; }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const { return a.hash == b.hash && a.text == b.text; }
  };

  void end_use(const Text& text) {
    if (--text.uses != 0) return;
    if (latest_[text.place] == &text) latest_[text.place] = nullptr;
    texts_.erase(texts_.find(text));
  }

  std::unordered_set<Text, Hash, Equal> texts_;
  std::uint64_t last_number_ = 0;
  std::array<const Text*, 1024> latest_ = {};  // by place_of_text()
};

}  // namespace fxt
