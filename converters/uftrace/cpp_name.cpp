#include "converters/uftrace/cpp_name.h"

#include <array>
#include <cstddef>
#include <utility>

#include "converters/uftrace/cpp_mangling.h"
#include "converters/uftrace/cpp_operators.h"
#include "converters/uftrace/rust_name.h"

namespace convert::uftrace {
namespace {

// ABI: "<substitution>", those with a name of their own.
constexpr std::array kAbbreviations{std::pair{'t', std::string_view("std")},
                                    std::pair{'a', std::string_view("std::allocator")},
                                    std::pair{'b', std::string_view("std::basic_string")},
                                    std::pair{'s', std::string_view("std::basic_string<>")},
                                    std::pair{'i', std::string_view("std::basic_istream")},
                                    std::pair{'o', std::string_view("std::basic_ostream")},
                                    std::pair{'d', std::string_view("std::basic_iostream")}};

// ABI: "<special-name>" of variables; uftrace's words for them.
constexpr std::array kSpecialVariables{
    std::pair{std::string_view("TV"), std::string_view("__vtable__")},
    std::pair{std::string_view("TT"), std::string_view("__VTT__")},
    std::pair{std::string_view("TI"), std::string_view("__typeinfo_name__")},
    std::pair{std::string_view("TS"), std::string_view("__typeinfo__")},
    std::pair{std::string_view("TC"), std::string_view("__construction_vtable__")},
    std::pair{std::string_view("TW"), std::string_view("TLS_wrap::")},
    std::pair{std::string_view("TH"), std::string_view("TLS_init::")},
    std::pair{std::string_view("GV"), std::string_view("__guard_variable__")},
    std::pair{std::string_view("GR"), std::string_view("__ref_temp__")}};

}  // namespace

std::string CppMangling::read() {
  in_.expect('_');
  in_.expect('Z');
  entity();
  if (said_.empty()) throw NotUnderstood();
  return std::move(said_);
}

void CppMangling::say(std::string_view name) {
  if (silences_ > 0) return;
  if (!first_) said_ += "::";
  said_ += name;
  first_ = false;
}

// The name without the types that may follow: those are of no interest at the outermost level.
void CppMangling::entity() {
  if (in_.peek() == 'T' || in_.peek() == 'G') {
    special_name();
  } else {
    name();
  }
}

void CppMangling::encoding() {
  const NestingGuard guard(depth_);
  entity();
  const Silence silence(*this);
  while (!in_.at_end() && in_.peek() != 'E' && in_.peek() != '.' && in_.peek() != '@') {
    if (in_.accept('Q')) {
      expression();
    } else {
      type();
    }
  }
}

void CppMangling::special_name() {
  if (in_.accept("Th")) return thunk(1);
  if (in_.accept("Tv")) return thunk(2);
  if (in_.accept("Tc")) {  // one offset for `this`, one for the result
    for (int i = 0; i < 2; ++i) offsets(in_.take() == 'v' ? 2 : 1);
    return entity();
  }
  if (in_.accept("GTt") || in_.accept("GTn") || in_.accept("GA")) return entity();
  for (const auto& [code, words] : kSpecialVariables) {
    if (!in_.accept(code)) continue;
    if (silences_ == 0) said_ += words;
    return name();
  }
  throw NotUnderstood();
}

void CppMangling::thunk(unsigned offset_count) {
  offsets(offset_count);
  entity();
}

void CppMangling::offsets(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    in_.accept('n');
    in_.number();
    in_.expect('_');
  }
}

void CppMangling::name() {
  const NestingGuard guard(depth_);
  if (in_.peek() == 'N') return nested_name();
  if (in_.peek() == 'Z') return local_name();
  if (in_.peek() == 'S') {
    substitution();
    if (in_.peek() == 'I') return template_args();
  }
  unqualified_name();
  if (in_.peek() == 'I') template_args();
}

void CppMangling::nested_name() {
  in_.expect('N');
  in_.accept('H');  // explicit object parameter
  while (in_.accept('r') || in_.accept('V') || in_.accept('K')) {
  }
  if (!in_.accept('R')) in_.accept('O');
  while (!in_.accept('E')) {
    const char next = in_.peek();
    if (next == 'S') {
      substitution();
    } else if (next == 'T') {
      template_param();
    } else if (next == 'I') {
      template_args();
    } else if (next == 'D' && (in_.peek(1) == 't' || in_.peek(1) == 'T')) {
      type();
    } else if (!in_.accept('M')) {  // data member prefix of a closure
      unqualified_name();
    }
  }
}

void CppMangling::local_name() {
  in_.expect('Z');
  encoding();
  in_.expect('E');
  if (in_.accept('s')) {  // a string literal
    discriminator();
    return;
  }
  if (in_.accept('d')) {  // in a default argument
    if (in_.next_is_digit()) in_.number();
    in_.expect('_');
  }
  name();
  discriminator();
}

void CppMangling::discriminator() {
  if (!in_.accept('_')) return;
  const bool is_long = in_.accept('_');
  in_.number();
  if (is_long) in_.expect('_');
}

void CppMangling::unqualified_name() {
  in_.accept('F');  // a friend
  in_.accept('L');  // internal linkage
  while (in_.accept('W')) {
    in_.accept('P');
    const Silence silence(*this);
    source_name();
  }
  const char next = in_.peek();
  if (next == 'D' && in_.peek(1) == 'C') {
    structured_binding();
  } else if (next == 'C' || next == 'D') {
    ctor_dtor_name();
  } else if (next == 'U') {
    unnamed_type_name();
  } else if (MangledText::is_lower(next)) {
    operator_name();
  } else {
    source_name();
  }
  while (in_.accept('B')) {  // ABI tags
    const Silence silence(*this);
    source_name();
  }
}

void CppMangling::structured_binding() {
  in_.accept("DC");
  const Silence silence(*this);
  while (!in_.accept('E')) source_name();
}

// Repeats the class's name.
void CppMangling::ctor_dtor_name() {
  const bool is_destructor = in_.take() == 'D';
  if (!is_destructor && in_.accept('I')) {  // inherited
    kind();
    const Silence silence(*this);
    type();
  } else {
    kind();
  }
  if (silences_ > 0) return;
  const std::size_t colon = said_.rfind(':');
  const std::string class_name = said_.substr(colon == std::string::npos ? 0 : colon + 1);
  say((is_destructor ? "~" : "") + class_name);
}

void CppMangling::kind() {
  if (!MangledText::is_digit(in_.take())) throw NotUnderstood();
}

void CppMangling::unnamed_type_name() {
  in_.expect('U');
  if (in_.accept('t')) {
    if (in_.next_is_digit()) in_.number();
    in_.expect('_');
    return;
  }
  if (in_.accept('b')) {  // a block
    if (in_.next_is_digit()) in_.number();
    in_.expect('_');
    return;
  }
  in_.expect('l');  // a lambda
  {
    const Silence silence(*this);
    while (!in_.accept('E')) {
      if (in_.accept('Q')) {
        expression();
      } else {
        lambda_type();
      }
    }
  }
  const std::size_t index = in_.next_is_digit() ? in_.number() + 1 : 0;
  in_.expect('_');
  say("$_" + std::to_string(index));
}

// Lambdas also declare template parameters: Ty, Tn <type>, Tt … E, Tp <declaration>.
void CppMangling::lambda_type() {
  if (!template_param_declaration()) type();
}

bool CppMangling::template_param_declaration() {
  const NestingGuard guard(depth_);
  if (in_.accept("Ty")) return true;
  if (in_.accept("Tn")) {
    type();
    return true;
  }
  if (in_.accept("Tk")) {
    name();
    return true;
  }
  if (in_.accept("Tp")) return template_param_declaration();
  if (in_.accept("Tt")) {
    while (!in_.accept('E')) {
      if (!template_param_declaration()) throw NotUnderstood();
    }
    return true;
  }
  return false;
}

void CppMangling::operator_name() {
  const char first = in_.take();
  const char second = in_.take();
  if (first == 'v' && MangledText::is_digit(second)) return source_name();  // a vendor's own
  const Operator* const found = find_operator(first, second);
  if (found == nullptr || found->name.empty()) throw NotUnderstood();
  say("operator" + std::string(found->name));
  const Silence silence(*this);
  if (found->code == "cv") {
    type();
  } else if (found->code == "li") {
    source_name();
  }
}

void CppMangling::source_name() {
  const std::size_t size = in_.number();
  const std::string_view text = in_.take(size);
  if (silences_ > 0 || is_rust_hash(text)) return;
  say(text.find('$') == std::string_view::npos ? std::string(text) : without_rust_escapes(text));
}

void CppMangling::substitution() {
  in_.expect('S');
  for (const auto& [code, words] : kAbbreviations) {
    if (!in_.accept(code)) continue;
    say(words);
    while (in_.accept('B')) {
      const Silence silence(*this);
      source_name();
    }
    return;
  }
  while (in_.next_is_digit() || MangledText::is_upper(in_.peek())) in_.take();
  in_.expect('_');
}

std::optional<std::string> short_cpp_name(std::string_view symbol) {
  try {
    return CppMangling(symbol).read();
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

}  // namespace convert::uftrace
