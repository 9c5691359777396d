// Short names of Rust, of both manglings: without the hash, and without generic arguments.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "converters/model/reading/text.h"
#include "converters/symbols/demangle.h"

namespace convert {
namespace {

struct NotUnderstood {};  // thrown and caught in this file

// A position in the text that can't leave it.
class MangledText {
 public:
  explicit MangledText(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  // The next character; '\0' after the end.
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool next_is_digit() const { return is_digit(peek()); }

  char next() {
    if (at_end()) throw NotUnderstood();
    return text_[at_++];
  }
  bool accept(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw NotUnderstood();
  }
  std::string_view next(std::size_t size) {
    if (size > text_.size() - at_) throw NotUnderstood();
    const std::string_view part = text_.substr(at_, size);
    at_ += size;
    return part;
  }
  std::size_t number() {
    std::string_view rest = text_.substr(at_);
    const auto value = consume_number<std::size_t>(rest);
    if (!value) throw NotUnderstood();
    at_ = text_.size() - rest.size();
    return *value;
  }

  std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// Limits how deep the reader's functions call each other.
class NestingGuard {
 public:
  explicit NestingGuard(unsigned& depth) : depth_(depth) {
    if (depth_ == kLimit) throw NotUnderstood();
    ++depth_;
  }
  ~NestingGuard() { --depth_; }
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;

 private:
  static constexpr unsigned kLimit = 1000;
  unsigned& depth_;
};

// The primitive types, by their letter from 'a' to 'z'; empty: none.
constexpr std::array<std::string_view, 26> kBasicTypes{
    "i8",   "bool", "char", "f64", "str", "f32", "",    "u8", "isize", "usize", "",    "i32", "u32",
    "i128", "u128", "_",    "",    "",    "i16", "u16", "()", "...",   "",      "i64", "u64", "!"};

std::string_view basic_type(char letter) {
  if (letter < 'a' || letter > 'z') return {};
  return kBasicTypes[static_cast<std::size_t>(letter - 'a')];
}

enum class Generics { Hidden, Shown };

// Reads the grammar of RFC 2603 and appends names to the text. Traits of implementations and results of
// function types are read with the output muted.
class RustNameReader {
 public:
  RustNameReader(std::string_view mangled, Generics generics) : in_(mangled), generics_(generics) {}

  std::string read() {
    in_.expect('_');
    in_.expect('R');
    if (in_.next_is_digit()) in_.number();  // version of the mangling
    path();
    is_muted_ = true;
    if (!at_suffix()) path();  // the crate that made this instance
    if (!at_suffix() || text_.empty()) throw NotUnderstood();
    return std::move(text_);
  }

 private:
  static constexpr std::size_t kPrefixSize = 2;  // "_R"; back references count from after it
  // Back references can make a short name very long, and reading it very slow.
  static constexpr std::size_t kLongestName = 30'000;
  static constexpr unsigned kMostSteps = 100'000;

  bool at_suffix() const { return in_.at_end() || in_.peek() == '.' || in_.peek() == '$'; }

  void append(std::string_view text) {
    if (is_muted_) return;
    text_ += text;
    if (text_.size() > kLongestName) throw NotUnderstood();
  }

  void append_name(std::string_view name) {
    if (is_muted_) return;
    if (!is_first_) append("::");
    append(name);
    is_first_ = false;
  }

  // Reads without output.
  template <typename Read>
  void mute(Read read) {
    const bool before = std::exchange(is_muted_, true);
    read();
    is_muted_ = before;
  }

  void count_step() {
    if (++steps_ > kMostSteps) throw NotUnderstood();
  }

  void path() {
    const NestingGuard guard(depth_);
    count_step();
    switch (in_.next()) {
      case 'C':
        disambiguator();
        return identifier();
      case 'N':
        return nested_path();
      case 'M':
        disambiguator();
        mute([&] { path(); });
        return implementation_of([] {});
      case 'X':
        disambiguator();
        mute([&] { path(); });
        return implementation_of([&] { path(); });
      case 'Y':
        return implementation_of([&] { path(); });
      case 'I':
        return generic_path();
      case 'B':
        return back_reference([&] { path(); });
      default:
        throw NotUnderstood();
    }
  }

  void nested_path() {
    const bool is_closure = in_.next() == 'C';
    path();
    disambiguator();
    identifier();
    if (is_closure) append_name("{closure}");
  }

  // "<type>". `trait` reads the trait after it.
  template <typename Trait>
  void implementation_of(Trait trait) {
    append("<");
    is_first_ = true;
    type();
    mute(trait);
    append(">");
  }

  void generic_path() {
    path();
    const bool before = std::exchange(is_muted_, is_muted_ || generics_ == Generics::Hidden);
    append("<");
    for (bool is_first = true; !in_.accept('E'); is_first = false) {
      if (!is_first) append(",");
      if (!is_muted_) is_first_ = true;
      generic_argument();
    }
    append(">");
    if (!is_muted_) is_first_ = false;
    is_muted_ = before;
  }

  void generic_argument() {
    if (in_.peek() == 'L') return lifetime();
    if (in_.accept('K')) return constant();
    type();
  }

  // After "B": refers to an earlier position. `read` reads what must be there.
  template <typename Read>
  void back_reference(Read read) {
    const std::size_t start = in_.position() - 1 - kPrefixSize;
    const std::uint64_t target = base_62();
    if (target >= start) throw NotUnderstood();
    const std::size_t behind = in_.position();
    in_.go_to(kPrefixSize + static_cast<std::size_t>(target));
    read();
    in_.go_to(behind);
  }

  void disambiguator() {
    if (in_.accept('s')) base_62();
  }

  void identifier() {
    in_.accept('u');                                              // Punycode, shown as it is
    const std::size_t size = in_.accept('0') ? 0 : in_.number();  // another 0 begins the next name
    in_.accept('_');
    const std::string_view name = in_.next(size);
    if (!name.empty()) append_name(name);  // closures have none
  }

  void lifetime() {
    in_.expect('L');
    base_62();
  }

  // 0 is written "_", every other number n as n - 1 in base 62 and "_".
  std::uint64_t base_62() {
    constexpr std::uint64_t kBase = 62;
    if (in_.accept('_')) return 0;
    std::uint64_t value = 0;
    for (char c = in_.next(); c != '_'; c = in_.next()) {
      std::uint64_t digit = 0;
      if (is_digit(c)) {
        digit = static_cast<std::uint64_t>(c - '0');
      } else if (c >= 'a' && c <= 'z') {
        digit = static_cast<std::uint64_t>(c - 'a') + 10;
      } else if (c >= 'A' && c <= 'Z') {
        digit = static_cast<std::uint64_t>(c - 'A') + 36;
      } else {
        throw NotUnderstood();
      }
      value = value * kBase + digit;  // may overflow: only hashes are that large
    }
    return value + 1;
  }

  void constant() {
    if (in_.accept('p')) return append("_");
    if (in_.accept('B')) return back_reference([&] { constant(); });
    mute([&] { type(); });
    if (in_.accept('n')) append("-");
    std::uint64_t value = 0;
    while (is_hex_digit(in_.peek())) {
      const char digit = in_.next();
      value = value * 16 + static_cast<std::uint64_t>(is_digit(digit) ? digit - '0' : digit - 'a' + 10);
    }
    in_.expect('_');
    append(std::to_string(value));
  }

  void type() {
    const NestingGuard guard(depth_);
    count_step();
    if (const std::string_view basic = basic_type(in_.peek()); !basic.empty()) {
      in_.next();
      return append(basic);
    }
    switch (in_.peek()) {
      case 'A':
        in_.next();
        append("[");
        type();
        append(";");
        constant();
        return append("]");
      case 'S':
        in_.next();
        append("[");
        type();
        return append("]");
      case 'T':
        in_.next();
        append("(");
        types_up_to_end();
        return append(")");
      case 'R':
        return pointer("&");
      case 'Q':
        return pointer("&mut_");
      case 'P':
        return pointer("*const_");
      case 'O':
        return pointer("*mut_");
      case 'F':
        return function_type();
      case 'D':
        return trait_object();
      case 'B':
        in_.next();
        return back_reference([&] { type(); });
      default:
        return path();
    }
  }

  void types_up_to_end() {
    for (bool is_first = true; !in_.accept('E'); is_first = false) {
      if (!is_first) append(",");
      type();
    }
  }

  void pointer(std::string_view words) {
    in_.next();
    append(words);
    if (in_.peek() == 'L') lifetime();
    type();
  }

  void binder() {
    if (in_.accept('G')) base_62();
  }

  void function_type() {
    in_.expect('F');
    binder();
    in_.accept('U');  // unsafe
    if (in_.accept('K') && !in_.accept('C')) mute([&] { identifier(); });
    append("fn(");
    types_up_to_end();
    append(")");
    mute([&] { type(); });
  }

  // dyn Trait: the traits and what they bind.
  void trait_object() {
    in_.expect('D');
    binder();
    while (!in_.accept('E')) {
      path();
      while (in_.accept('p')) {
        identifier();
        type();
      }
    }
    lifetime();
  }

  MangledText in_;
  Generics generics_;
  std::string text_;
  bool is_first_ = true;  // no "::" before the next name
  bool is_muted_ = false;
  unsigned depth_ = 0;
  unsigned steps_ = 0;
};

}  // namespace

std::optional<std::string> short_rust_name(std::string_view symbol) {
  try {
    return RustNameReader(symbol, Generics::Hidden).read();
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

bool is_harmless_rust_name(std::string_view symbol) {
  try {
    RustNameReader(symbol, Generics::Shown).read();
    return true;
  } catch (const NotUnderstood&) {
    return false;
  }
}

}  // namespace convert
