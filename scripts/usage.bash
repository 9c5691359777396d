# shellcheck shell=bash
# The other scripts source this file first. With `-h` or `--help`, it prints the comment at the head of the script, and ends
# the script. usage() also prints this comment.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  usage
  exit 0
fi
