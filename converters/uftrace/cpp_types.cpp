// Types and template arguments in C++ symbol names: read to get past them.

#include <string_view>

#include "converters/uftrace/cpp_mangling.h"

namespace convert::uftrace {

void CppMangling::template_param() {
  in_.expect('T');
  if (in_.accept('L')) {
    in_.number();
    in_.expect('_');
  }
  if (in_.next_is_digit()) in_.number();
  in_.expect('_');
}

void CppMangling::template_args() {
  const NestingGuard guard(depth_);
  const Silence silence(*this);
  in_.expect('I');
  while (!in_.accept('E')) {
    if (in_.accept('Q')) {
      expression();
    } else {
      template_arg();
    }
  }
}

void CppMangling::template_arg() {
  const NestingGuard guard(depth_);
  if (in_.accept('X')) {
    expression();
    in_.expect('E');
  } else if (in_.peek() == 'L') {
    expr_primary();
  } else if (in_.accept('J') || in_.accept('I')) {  // an argument pack
    while (!in_.accept('E')) template_arg();
  } else if (!template_param_declaration()) {
    type();
  }
}

void CppMangling::type() {
  const NestingGuard guard(depth_);
  const Silence silence(*this);
  const char next = in_.peek();
  switch (next) {
    case 'r':
    case 'V':
    case 'K':
    case 'P':
    case 'R':
    case 'O':
    case 'C':
    case 'G':
      in_.take();
      return type();
    case 'U':
      if (!MangledText::is_digit(in_.peek(1))) return name();
      in_.take();
      source_name();
      if (in_.peek() == 'I') template_args();
      return type();
    case 'A':
      in_.take();
      if (!in_.accept('_')) {
        if (in_.next_is_digit()) {
          in_.number();
        } else {
          expression();
        }
        in_.expect('_');
      }
      return type();
    case 'M':
      in_.take();
      type();
      return type();
    case 'F':
      return function_type();
    case 'T':
      if (in_.peek(1) == 's' || in_.peek(1) == 'u' || in_.peek(1) == 'e') {
        in_.take(2);
        return name();
      }
      template_param();
      if (in_.peek() == 'I') template_args();
      return;
    case 'S':
      return type_from_substitution();
    case 'D':
      return extended_type();
    case 'u':
      in_.take();
      source_name();
      if (in_.peek() == 'I') template_args();
      return;
    default:
      break;
  }
  if (MangledText::is_lower(next)) {
    constexpr std::string_view kBuiltins = "vwbcahstijlmxynofdegz";
    if (kBuiltins.find(next) == std::string_view::npos) throw NotUnderstood();
    in_.take();
    return;
  }
  name();
}

void CppMangling::function_type() {
  in_.expect('F');
  in_.accept('Y');  // extern "C"
  while (!in_.accept('E')) {
    const bool ref_qualifier_at_end = (in_.peek() == 'R' || in_.peek() == 'O') && in_.peek(1) == 'E';
    if (ref_qualifier_at_end) {
      in_.take();
    } else {
      type();
    }
  }
}

void CppMangling::type_from_substitution() {
  const bool is_std = in_.peek(1) == 't';
  substitution();
  if (is_std) unqualified_name();
  if (in_.peek() == 'I') template_args();
}

void CppMangling::extended_type() {
  in_.expect('D');
  switch (in_.take()) {
    case 'd':
    case 'e':
    case 'f':
    case 'h':
    case 'i':
    case 's':
    case 'u':
    case 'a':
    case 'c':
    case 'n':
      return;
    case 't':
    case 'T':
      expression();
      return in_.expect('E');
    case 'p':
    case 'o':  // noexcept
    case 'x':  // transaction safe
      return type();
    case 'O':  // noexcept(…)
      expression();
      in_.expect('E');
      return type();
    case 'w':  // throw(…)
      while (!in_.accept('E')) type();
      return type();
    case 'v':
      if (in_.next_is_digit()) {
        in_.number();
      } else {
        in_.accept('_');
        expression();
      }
      in_.expect('_');
      return type();
    case 'F':  // _FloatN: DF16_, DF16b, DF32x
      in_.number();
      if (!in_.accept('b') && !in_.accept('x')) in_.expect('_');
      return;
    case 'B':
    case 'U':  // _BitInt
      if (in_.next_is_digit()) {
        in_.number();
      } else {
        expression();
      }
      return in_.expect('_');
    default:
      throw NotUnderstood();
  }
}

// L <type> <value> E, or L _Z <encoding> E.
void CppMangling::expr_primary() {
  const NestingGuard guard(depth_);
  in_.expect('L');
  if (in_.accept("_Z") || in_.accept('Z')) {
    encoding();
    return in_.expect('E');
  }
  type();
  while (!in_.accept('E')) in_.take();
}

}  // namespace convert::uftrace
