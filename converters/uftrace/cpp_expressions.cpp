// Expressions in C++ symbol names (decltype, enable_if, …): read to get past them.

#include "converters/uftrace/cpp_mangling.h"
#include "converters/uftrace/cpp_operators.h"

namespace convert::uftrace {

void CppMangling::expressions_up_to_end() {
  while (!in_.accept('E')) expression();
}

void CppMangling::expression() {
  const NestingGuard guard(depth_);
  const Silence silence(*this);
  in_.accept("gs");
  const char first = in_.peek();
  const char second = in_.peek(1);
  if (first == 'L') return expr_primary();
  if (first == 'T') return template_param();
  if (MangledText::is_digit(first)) return simple_id();
  if (first == 'f' && (second == 'p' || second == 'L') && !find_operator(in_.peek(2), in_.peek(3)))
    return function_param();
  if (in_.accept("sr")) return unresolved_name();
  if (in_.accept("on")) {
    operator_name();
    if (in_.peek() == 'I') template_args();
    return;
  }
  if (in_.accept("dn")) return destructor_name();
  if (in_.accept("cl") || in_.accept("cp") || in_.accept("il")) return expressions_up_to_end();
  if (in_.accept("tl")) {
    type();
    return expressions_up_to_end();
  }
  if (in_.accept("cv")) {
    type();
    if (in_.accept('_')) return expressions_up_to_end();
    return expression();
  }
  if (in_.accept("dc") || in_.accept("sc") || in_.accept("rc") || in_.accept("cc")) {
    type();
    return expression();
  }
  if (in_.accept("ti") || in_.accept("st") || in_.accept("at")) return type();
  if (in_.accept("dt") || in_.accept("pt")) {
    expression();
    return expression();
  }
  if (in_.accept("sZ")) return in_.peek() == 'T' ? template_param() : function_param();
  if (in_.accept("sP")) {
    while (!in_.accept('E')) template_arg();
    return;
  }
  if (in_.accept("fl") || in_.accept("fr")) {
    in_.take(2);
    return expression();
  }
  if (in_.accept("fL") || in_.accept("fR")) {
    in_.take(2);
    expression();
    return expression();
  }
  if (in_.accept("nw") || in_.accept("na")) return new_expression();
  if (in_.accept("di")) {
    source_name();
    return expression();
  }
  if (in_.accept("dx") || in_.accept("dX")) {
    if (second == 'X') expression();
    expression();
    return expression();
  }
  if (in_.accept('u')) {  // a vendor's own
    source_name();
    while (!in_.accept('E')) template_arg();
    return;
  }
  const Operator* const found = find_operator(first, second);
  if (found == nullptr) throw NotUnderstood();
  in_.take(2);
  if (found->code == "pp" || found->code == "mm") in_.accept('_');  // prefix form
  for (unsigned i = 0; i < found->operands; ++i) expression();
}

void CppMangling::function_param() {
  in_.expect('f');
  if (in_.accept('L')) {
    in_.number();
    in_.expect('p');
  } else {
    in_.expect('p');
  }
  if (in_.accept('T')) return;  // this
  while (in_.accept('r') || in_.accept('V') || in_.accept('K')) {
  }
  if (in_.next_is_digit()) in_.number();
  in_.expect('_');
}

void CppMangling::new_expression() {
  while (!in_.accept('_')) expression();
  type();
  if (in_.accept("pi")) return expressions_up_to_end();
  if (in_.accept("il")) return expressions_up_to_end();
  in_.expect('E');
}

void CppMangling::simple_id() {
  source_name();
  if (in_.peek() == 'I') template_args();
}

void CppMangling::destructor_name() {
  if (in_.next_is_digit()) return simple_id();
  type();
}

void CppMangling::base_unresolved_name() {
  if (in_.accept("on")) {
    operator_name();
    if (in_.peek() == 'I') template_args();
  } else if (in_.accept("dn")) {
    destructor_name();
  } else {
    simple_id();
  }
}

// Behind "sr". Older compilers leave out the E before the last name.
void CppMangling::unresolved_name() {
  if (in_.accept('N')) {
    type();
    while (!in_.accept('E')) simple_id();
    return base_unresolved_name();
  }
  if (!in_.next_is_digit()) {
    type();
    return base_unresolved_name();
  }
  while (in_.next_is_digit()) simple_id();
  const bool name_follows = in_.peek() == 'E' && (MangledText::is_digit(in_.peek(1)) ||
                                                  (in_.peek(1) == 'o' && in_.peek(2) == 'n') ||
                                                  (in_.peek(1) == 'd' && in_.peek(2) == 'n'));
  if (name_follows) {
    in_.take();
    base_unresolved_name();
  } else if (in_.peek() == 'o' || in_.peek() == 'd') {
    base_unresolved_name();
  }
}

}  // namespace convert::uftrace
