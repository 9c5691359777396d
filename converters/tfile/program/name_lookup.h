// Looks up what a name means at a place in the code: a variable, a function, a type or an enumerator. The
// order is that of GDB, which recorded what it found:
//   1. the blocks around the place, inner ones first, with their using-declarations;
//   2. the members of the class of `this`, and of its bases;
//   3. the classes and namespaces around the function, inner ones first: what its file declares there, then
//      what other files do for all;
//   4. what is imported into any of those: using-directives, inline and anonymous namespaces;
//   5. what other files declare for themselves, if it is only one thing.
#pragma once

#include <elfutils/libdw.h>
#include <string>

namespace convert::tfile {

struct CodeScope;
struct FoundName;

enum class Wanted : bool {
  Any,
  Tagged  // what stands behind "struct" and the like
};

// "count", "app::count", "Base::member", "function::variable"; or "::count" in no class or namespace. Null if
// it means nothing, or different things. Valid as long as the scope.
const FoundName* look_up(const CodeScope& scope, const std::string& name, Wanted wanted = Wanted::Any);
// 'file.c'::name
const FoundName* look_up_in_file(const CodeScope& scope, const std::string& file, const std::string& name);

}  // namespace convert::tfile
