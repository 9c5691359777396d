// A small build tool that forks. Some children execute the program again, and one only exits.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* own_path;

static unsigned parse(const char* text) { return *text ? parse(text + 1) * 33 + (unsigned char)*text : 5381; }

static unsigned optimise(unsigned code, int passes) {
  return passes == 0 ? code : optimise(code ^ (code >> passes), passes - 1);
}

// Compiles a file. The program runs again as the compiler, in a process of its own.
static int compile(const char* file) {
  printf("%s: %08x\n", file, optimise(parse(file), 5));
  return 0;
}

static pid_t start_compiler(const char* file) {
  pid_t child = fork();
  if (child == 0) {
    execl(own_path, "family", file, (char*)NULL);
    _exit(127);
  }
  return child;
}

static void look_around(void) {
  if (access("family.c", R_OK) != 0) _exit(1);
}

// Forks a child that continues in this program's code, and returns through the callers.
static int check_in_child(void) {
  pid_t child = fork();
  if (child == 0) {
    look_around();
    return 1;
  }
  waitpid(child, NULL, 0);
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1) return compile(argv[1]);
  own_path = argv[0];
  static const char* const files[] = {"reader.c", "writer.c"};
  pid_t children[2];
  for (int i = 0; i < 2; ++i) children[i] = start_compiler(files[i]);
  for (int i = 0; i < 2; ++i) waitpid(children[i], NULL, 0);
  return check_in_child() ? 0 : strcmp(own_path, argv[0]);
}
