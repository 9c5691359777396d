// Collected C expressions: what was written, as trees, and what the names in them mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "converters/tfile/program/type.h"

namespace convert::tfile {

struct CodeScope;
struct FoundName;

// A tree. What its names mean is not known yet, but for those of types.
struct Expression {
  enum class Kind : std::uint8_t {
    Invalid,
    Number,
    Name,           // "count", "app::count", "::count"
    NameOfFile,     // "'main.c'::count"
    Special,        // "$rsp"
    Member,         // "it.id"
    PointerMember,  // "it->id"
    Index,          // "a[2]"
    Prefix,         // "*p"
    Binary,         // "a + b", "a@3"
    Cast,           // "(long) x"
    At,             // "{long} address"
    SizeOf,         // of a type, or of an operand
  };
  Kind kind = Kind::Invalid;
  std::string text = {};  // the name, the member or the operator
  std::string file = {};
  std::uint64_t number = 0;
  const Type* type = nullptr;  // of a Number, Cast, At or SizeOf
  std::vector<Expression> operands = {};
};

// An expression of Kind::Invalid, or one with such an operand, stands for what is not understood. Types are
// looked up in the scope.
Expression parse_expression(std::string_view text, const CodeScope& scope);
// Whether the parser understands all of it, whatever its names mean.
bool is_understood(std::string_view text, const CodeScope& scope);

enum class Wanted : bool {
  Any,
  Tagged  // what stands behind "struct" and the like
};

// What a name means at a place in the code: a variable, a function, a type or an enumerator. The order is
// that of GDB, which recorded what it found:
//   1. the blocks around the place, inner ones first, with their using-declarations;
//   2. the members of the class of `this`, and of its bases;
//   3. the classes and namespaces around the function, inner ones first: what its file declares there, then
//      what other files do for all;
//   4. what is imported into any of those: using-directives, inline and anonymous namespaces;
//   5. what other files declare for themselves, if it is only one thing.
// `name`: "count", "app::count", "Base::member", "function::variable"; or "::count" in no class or namespace.
// Null if it means nothing, or different things. Valid as long as the scope.
const FoundName* look_up(const CodeScope& scope, const std::string& name, Wanted wanted = Wanted::Any);
// 'file.c'::name
const FoundName* look_up_in_file(const CodeScope& scope, const std::string& file, const std::string& name);

}  // namespace convert::tfile
