# shellcheck shell=bash
# Sourced by the other scripts, first of all: `-h` and `--help` print the comment at the script's head, and nothing else
# is done. usage prints it, too.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  usage
  exit 0
fi
