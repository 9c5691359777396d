// The trees of collected C expressions: what was written, and not yet what it means.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/tfile/program/type_table.h"

namespace convert::tfile {

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

// Finds the type of a name; null if there is none. `is_tagged`: behind "struct" and the like.
using FindType = std::function<const Type*(const std::string& name, bool is_tagged)>;

// An expression of Kind::Invalid, or one with such an operand, stands for what is not understood.
Expression parse_expression(std::string_view text, TypeTable& types, const FindType& find_type);

}  // namespace convert::tfile
