// Reads C++ symbol names by the grammar of the Itanium C++ ABI ("Mangling"); the functions carry the names of
// its productions. Names are said as they come by; inside types, arguments and expressions nothing is said.
#pragma once

#include <string>
#include <string_view>

#include "converters/uftrace/mangled_text.h"

namespace convert::uftrace {

class CppMangling {
 public:
  // Borrows `symbol`, which begins with "_Z".
  explicit CppMangling(std::string_view symbol) : in_(symbol) {}

  // The name in short form. Throws NotUnderstood.
  std::string read();

 private:
  class Silence {
   public:
    explicit Silence(CppMangling& mangling) : mangling_(mangling) { ++mangling_.silences_; }
    ~Silence() { --mangling_.silences_; }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

   private:
    CppMangling& mangling_;
  };

  void say(std::string_view name);

  // ---- Names, in cpp_name.cpp ----
  void entity();
  void encoding();
  void special_name();
  void thunk(unsigned offset_count);
  void offsets(unsigned count);
  void name();
  void nested_name();
  void local_name();
  void discriminator();
  void unqualified_name();
  void structured_binding();
  void ctor_dtor_name();
  void kind();
  void unnamed_type_name();
  void lambda_type();
  bool template_param_declaration();
  void operator_name();
  void source_name();
  void substitution();

  // ---- Types and template arguments, in cpp_types.cpp ----
  void template_param();
  void template_args();
  void template_arg();
  void type();
  void function_type();
  void type_from_substitution();
  void extended_type();
  void expr_primary();

  // ---- Expressions, in cpp_expressions.cpp ----
  void expressions_up_to_end();
  void expression();
  void function_param();
  void new_expression();
  void simple_id();
  void destructor_name();
  void base_unresolved_name();
  void unresolved_name();

  MangledText in_;
  std::string said_;
  bool first_ = true;  // no "::" before the next name
  unsigned silences_ = 0;
  unsigned depth_ = 0;
};

}  // namespace convert::uftrace
