// Collected C expressions: their texts as trees, and the meanings of the names in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "converters/tfile/program/type.h"

namespace convert::tfile {

struct CodeScope;
struct FoundName;

// An expression as a tree. Only names of types are resolved; the meaning of other names is not known yet.
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
    SizeOf,         // `sizeof` with a type or an operand
  };
  Kind kind = Kind::Invalid;
  std::string text = {};  // the name, the member or the operator
  std::string file = {};
  std::uint64_t number = 0;
  const Type* type = nullptr;  // type of a Number, Cast, At or SizeOf
  std::vector<Expression> operands = {};
};

// Parses an expression. An expression or operand that the parser does not understand has Kind::Invalid. Names
// of types are looked up in `scope`.
Expression parse_expression(std::string_view text, const CodeScope& scope);
// True if the parser understands the whole text. The meanings of its names do not matter.
bool is_understood(std::string_view text, const CodeScope& scope);

enum class Wanted : bool {
  Any,
  Tagged  // the word after "struct" and the like
};

// The meaning of a name at a place in the code: a variable, a function, a type or an enumerator. The order of
// the search is that of GDB, because GDB recorded what it found:
//   1. the blocks around the place, inner ones first, with their using-declarations;
//   2. the members of the class of `this`, and of its bases;
//   3. the classes and namespaces around the function, inner ones first. In each of them, declarations in
//      the file of the function come before external declarations in other files;
//   4. names that are imported into any of those: using-directives, inline and anonymous namespaces;
//   5. names that are local to another file, if only one file has the name.
// `name`: "count", "app::count", "Base::member", "function::variable"; or "::count" outside of all classes
// and namespaces. Null if the name has no meaning, or several. Valid as long as the scope.
const FoundName* look_up(const CodeScope& scope, const std::string& name, Wanted wanted = Wanted::Any);
const FoundName* look_up_in_file(const CodeScope& scope, const std::string& file, const std::string& name);

}  // namespace convert::tfile
