#include "converters/uftrace/cpp_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "converters/uftrace/mangled_text.h"
#include "converters/uftrace/rust_name.h"

namespace convert::uftrace {
namespace {

// ABI: "<operator-name>". `operands` counts what follows the code inside an expression.
struct Operator {
  std::string_view code;
  std::string_view name;  // behind the word "operator"
  unsigned operands;
};
constexpr std::array kOperators{
    Operator{"nw", " new", 0}, Operator{"na", " new[]", 0}, Operator{"dl", " delete", 1},
    Operator{"da", " delete[]", 1}, Operator{"aw", " co_await", 1}, Operator{"ps", "+", 1},
    Operator{"ng", "-", 1}, Operator{"ad", "&", 1}, Operator{"de", "*", 1}, Operator{"co", "~", 1},
    Operator{"pl", "+", 2}, Operator{"mi", "-", 2}, Operator{"ml", "*", 2}, Operator{"dv", "/", 2},
    Operator{"rm", "%", 2}, Operator{"an", "&", 2}, Operator{"or", "|", 2}, Operator{"eo", "^", 2},
    Operator{"aS", "=", 2}, Operator{"pL", "+=", 2}, Operator{"mI", "-=", 2}, Operator{"mL", "*=", 2},
    Operator{"dV", "/=", 2}, Operator{"rM", "%=", 2}, Operator{"aN", "&=", 2}, Operator{"oR", "|=", 2},
    Operator{"eO", "^=", 2}, Operator{"ls", "<<", 2}, Operator{"rs", ">>", 2}, Operator{"lS", "<<=", 2},
    Operator{"rS", ">>=", 2}, Operator{"eq", "==", 2}, Operator{"ne", "!=", 2}, Operator{"lt", "<", 2},
    Operator{"gt", ">", 2}, Operator{"le", "<=", 2}, Operator{"ge", ">=", 2}, Operator{"ss", "<=>", 2},
    Operator{"nt", "!", 1}, Operator{"aa", "&&", 2}, Operator{"oo", "||", 2}, Operator{"pp", "++", 1},
    Operator{"mm", "--", 1}, Operator{"cm", ",", 2}, Operator{"pm", "->*", 2}, Operator{"pt", "->", 0},
    Operator{"cl", "()", 0}, Operator{"ix", "[]", 2}, Operator{"qu", "?", 3}, Operator{"cv", "(cast)", 0},
    Operator{"li", "\"\"", 0},
    // Only in expressions:
    Operator{"ds", ".*", 2}, Operator{"sz", "", 1}, Operator{"az", "", 1}, Operator{"te", "", 1},
    Operator{"nx", "", 1}, Operator{"sp", "", 1}, Operator{"tw", "", 1}, Operator{"tr", "", 0}};

const Operator* find_operator(char first, char second) {
  const auto* const found = std::ranges::find_if(
      kOperators, [&](const Operator& o) { return o.code[0] == first && o.code[1] == second; });
  return found != kOperators.end() ? found : nullptr;
}

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

// Reads by the grammar of the ABI; its functions carry the names of the productions. Names are said as they
// come by; inside types, arguments and expressions nothing is said.
class Reader {
 public:
  explicit Reader(std::string_view mangled) : in_(mangled) {}

  std::string read() {
    in_.expect('_');
    in_.expect('Z');
    entity();
    if (said_.empty()) throw NotUnderstood();
    return std::move(said_);
  }

 private:
  class Silence {
   public:
    explicit Silence(Reader& reader) : reader_(reader) { ++reader_.silences_; }
    ~Silence() { --reader_.silences_; }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

   private:
    Reader& reader_;
  };

  void say(std::string_view name) {
    if (silences_ > 0) return;
    if (!first_) said_ += "::";
    said_ += name;
    first_ = false;
  }

  // The name without the types that may follow: those are of no interest at the outermost level.
  void entity() {
    if (in_.peek() == 'T' || in_.peek() == 'G') {
      special_name();
    } else {
      name();
    }
  }

  void encoding() {
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

  void special_name() {
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

  void thunk(unsigned offset_count) {
    offsets(offset_count);
    entity();
  }

  void offsets(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      in_.accept('n');
      in_.number();
      in_.expect('_');
    }
  }

  void name() {
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

  void nested_name() {
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

  void local_name() {
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

  void discriminator() {
    if (!in_.accept('_')) return;
    const bool is_long = in_.accept('_');
    in_.number();
    if (is_long) in_.expect('_');
  }

  void unqualified_name() {
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

  void structured_binding() {
    in_.accept("DC");
    const Silence silence(*this);
    while (!in_.accept('E')) source_name();
  }

  // Repeats the class's name.
  void ctor_dtor_name() {
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

  void kind() {
    if (!MangledText::is_digit(in_.take())) throw NotUnderstood();
  }

  void unnamed_type_name() {
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
  void lambda_type() {
    if (!template_param_declaration()) type();
  }

  bool template_param_declaration() {
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

  void operator_name() {
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

  void source_name() {
    const std::size_t size = in_.number();
    const std::string_view text = in_.take(size);
    if (silences_ > 0 || is_rust_hash(text)) return;
    say(text.find('$') == std::string_view::npos ? std::string(text) : without_rust_escapes(text));
  }

  void substitution() {
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

  void template_param() {
    in_.expect('T');
    if (in_.accept('L')) {
      in_.number();
      in_.expect('_');
    }
    if (in_.next_is_digit()) in_.number();
    in_.expect('_');
  }

  void template_args() {
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

  void template_arg() {
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

  void type() {
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

  void function_type() {
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

  void type_from_substitution() {
    const bool is_std = in_.peek(1) == 't';
    substitution();
    if (is_std) unqualified_name();
    if (in_.peek() == 'I') template_args();
  }

  void extended_type() {
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
        } else if (!in_.accept('_')) {
          expression();
        } else {
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
  void expr_primary() {
    const NestingGuard guard(depth_);
    in_.expect('L');
    if (in_.accept("_Z") || in_.accept('Z')) {
      encoding();
      return in_.expect('E');
    }
    type();
    while (!in_.accept('E')) in_.take();
  }

  void expressions_up_to_end() {
    while (!in_.accept('E')) expression();
  }

  void expression() {
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

  void function_param() {
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

  void new_expression() {
    while (!in_.accept('_')) expression();
    type();
    if (in_.accept("pi")) return expressions_up_to_end();
    if (in_.accept("il")) return expressions_up_to_end();
    in_.expect('E');
  }

  void simple_id() {
    source_name();
    if (in_.peek() == 'I') template_args();
  }

  void destructor_name() {
    if (in_.next_is_digit()) return simple_id();
    type();
  }

  void base_unresolved_name() {
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
  void unresolved_name() {
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

  MangledText in_;
  std::string said_;
  bool first_ = true;  // no "::" before the next name
  unsigned silences_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

std::optional<std::string> short_cpp_name(std::string_view symbol) {
  try {
    return Reader(symbol).read();
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

}  // namespace convert::uftrace
