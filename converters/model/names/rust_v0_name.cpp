#include "converters/model/names/rust_v0_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "converters/model/names/mangled_text.h"

namespace convert {
namespace {

// The primitive types, by their letter.
constexpr std::array kBasicTypes{
    std::pair{'a', std::string_view("i8")},    std::pair{'b', std::string_view("bool")},
    std::pair{'c', std::string_view("char")},  std::pair{'d', std::string_view("f64")},
    std::pair{'e', std::string_view("str")},   std::pair{'f', std::string_view("f32")},
    std::pair{'h', std::string_view("u8")},    std::pair{'i', std::string_view("isize")},
    std::pair{'j', std::string_view("usize")}, std::pair{'l', std::string_view("i32")},
    std::pair{'m', std::string_view("u32")},   std::pair{'n', std::string_view("i128")},
    std::pair{'o', std::string_view("u128")},  std::pair{'p', std::string_view("_")},
    std::pair{'s', std::string_view("i16")},   std::pair{'t', std::string_view("u16")},
    std::pair{'u', std::string_view("()")},    std::pair{'v', std::string_view("...")},
    std::pair{'x', std::string_view("i64")},   std::pair{'y', std::string_view("u64")},
    std::pair{'z', std::string_view("!")}};

enum class BackReferences { ToPaths, ToAnything };

// Reads by the grammar of RFC 2603. Of an implementation only the type is said, not the trait; of a function
// type not the result.
class Reader {
 public:
  Reader(std::string_view mangled, BackReferences back_references)
      : in_(mangled), back_references_(back_references) {}

  std::string read() {
    in_.expect('_');
    in_.expect('R');
    if (in_.next_is_digit()) in_.number();  // version of the mangling
    path();
    muted_ = true;
    if (!at_suffix()) path();  // the crate that made this instance
    if (!at_suffix() || said_.empty()) throw NotUnderstood();
    return std::move(said_);
  }

 private:
  static constexpr std::size_t kPrefixSize = 2;  // "_R"; back references count from behind it
  // Back references can make a short name very long, and reading it very slow.
  static constexpr std::size_t kLongestName = 30'000;
  static constexpr unsigned kMostSteps = 100'000;

  bool at_suffix() const { return in_.at_end() || in_.peek() == '.' || in_.peek() == '$'; }

  void say(std::string_view text) {
    if (muted_) return;
    said_ += text;
    if (said_.size() > kLongestName) throw NotUnderstood();
  }

  void say_name(std::string_view name) {
    if (muted_) return;
    if (!first_) say("::");
    say(name);
    first_ = false;
  }

  // What stands where nothing is to be said.
  template <typename Read>
  void mute(Read read) {
    const bool before = std::exchange(muted_, true);
    read();
    muted_ = before;
  }

  void count_step() {
    if (++steps_ > kMostSteps) throw NotUnderstood();
  }

  void path() {
    const NestingGuard guard(depth_);
    count_step();
    switch (in_.take()) {
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
    const bool is_closure = in_.take() == 'C';
    path();
    disambiguator();
    identifier();
    if (is_closure) say_name("{closure}");
  }

  // "<type>"; behind it `trait` is read but not said.
  template <typename Trait>
  void implementation_of(Trait trait) {
    say("<");
    first_ = true;
    type();
    mute(trait);
    say(">");
  }

  void generic_path() {
    path();
    say("<");
    for (bool is_first = true; !in_.accept('E'); is_first = false) {
      if (!is_first) say(",");
      first_ = true;
      generic_argument();
    }
    say(">");
    first_ = false;
  }

  void generic_argument() {
    if (in_.peek() == 'L') return lifetime();
    if (in_.accept('K')) return constant();
    type();
  }

  // Behind "B": leads to a place that was read before. `read` reads what must stand there.
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
    in_.accept('u');                                              // Punycode, said as it is
    const std::size_t size = in_.accept('0') ? 0 : in_.number();  // another 0 is the next name's
    in_.accept('_');
    const std::string_view name = in_.take(size);
    if (!name.empty()) say_name(name);  // closures have none
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
    for (char c = in_.take(); c != '_'; c = in_.take()) {
      std::uint64_t digit = 0;
      if (is_digit(c)) {
        digit = static_cast<std::uint64_t>(c - '0');
      } else if (MangledText::is_lower(c)) {
        digit = static_cast<std::uint64_t>(c - 'a') + 10;
      } else if (MangledText::is_upper(c)) {
        digit = static_cast<std::uint64_t>(c - 'A') + 36;
      } else {
        throw NotUnderstood();
      }
      value = value * kBase + digit;  // hashes may overflow; nobody asks for their value
    }
    return value + 1;
  }

  void constant() {
    if (in_.accept('p')) return say("_");
    if (in_.accept('B')) return back_reference([&] { constant(); });
    mute([&] { type(); });
    if (in_.accept('n')) say("-");
    std::uint64_t value = 0;
    while (is_hex_digit(in_.peek())) {
      const char digit = in_.take();
      value = value * 16 + static_cast<std::uint64_t>(is_digit(digit) ? digit - '0' : digit - 'a' + 10);
    }
    in_.expect('_');
    say(std::to_string(value));
  }

  void type() {
    const NestingGuard guard(depth_);
    count_step();
    const auto* const basic =
        std::ranges::find(kBasicTypes, in_.peek(), [](const auto& b) { return b.first; });
    if (basic != kBasicTypes.end()) {
      in_.take();
      return say(basic->second);
    }
    switch (in_.peek()) {
      case 'A':
        in_.take();
        say("[");
        type();
        say(";");
        constant();
        return say("]");
      case 'S':
        in_.take();
        say("[");
        type();
        return say("]");
      case 'T':
        in_.take();
        say("(");
        types_up_to_end();
        return say(")");
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
        if (back_references_ == BackReferences::ToPaths) return path();
        in_.take();
        return back_reference([&] { type(); });
      default:
        return path();
    }
  }

  void types_up_to_end() {
    for (bool is_first = true; !in_.accept('E'); is_first = false) {
      if (!is_first) say(",");
      type();
    }
  }

  void pointer(std::string_view words) {
    in_.take();
    say(words);
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
    say("fn(");
    types_up_to_end();
    say(")");
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
  BackReferences back_references_;
  std::string said_;
  bool first_ = true;  // no "::" before the next name
  bool muted_ = false;
  unsigned depth_ = 0;
  unsigned steps_ = 0;
};

}  // namespace

std::optional<std::string> short_rust_name(std::string_view symbol) {
  try {
    return Reader(symbol, BackReferences::ToPaths).read();
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

bool is_harmless_rust_name(std::string_view symbol) {
  try {
    Reader(symbol, BackReferences::ToAnything).read();
    return true;
  } catch (const NotUnderstood&) {
    return false;
  }
}

}  // namespace convert
