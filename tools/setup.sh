#!/usr/bin/env bash
# Installs the Debian packages that ramie needs and that are missing. Nothing from anywhere else.
#
#   tools/setup.sh [GROUP...]     groups: build (always), test, peers, tidy
#
# build  what compiles the library and its command
# test   what ./test uses besides: GoogleTest, Python, clang 19 with its sanitizers, clang-format, libunwind, valgrind
# peers  other runtimes to compare with in the benchmarks; nothing fails without them
# tidy   clang-tidy 19
#
# Calls apt only if something is missing. As an ordinary user it tries `sudo -n`. RAMIE_NO_INSTALL=1 only reports.
# RAMIE_NO_OPTIONAL=1 leaves out what is optional.
# Exit status: 0 everything required is there, 1 something required is missing (the last lines say what to do).
set -u -o pipefail
export LC_ALL=C.UTF-8

# group | need | package | how to see that it is there | what it is for
# need: required, or optional (its absence is reported and nothing more)
# how:  a command, or a file where it begins with a slash
table='
build|required|g++|g++|the compiler (gcc 12 or later)
build|required|cmake|cmake|the build (3.25 or later)
build|required|ninja-build|ninja|the build
build|required|libhwloc-dev|/usr/include/hwloc.h|caches and NUMA nodes, for the choice of victims
build|required|libhwy-dev|/usr/include/hwy/contrib/sort/vqsort.h|the vector instructions of the sort
build|required|libcli11-dev|/usr/include/CLI/CLI.hpp|the options of the ramie command
build|required|nlohmann-json3-dev|/usr/include/nlohmann/json.hpp|the benchmark results
build|required|libfmt-dev|/usr/include/fmt/core.h|the benchmark tables
build|optional|libpng-dev|/usr/include/png.h|the pictures of the benchmark heat
build|optional|ccache|ccache|quick rebuilds
test|required|libgtest-dev|/usr/include/gtest/gtest.h|the tests
test|required|python3|python3|the layer check and tests of tools
test|required|pkg-config|pkg-config|the test of the installed package
test|required|binutils|objdump|tests that look at the machine code
test|required|clang-19|clang++-19|the second compiler
test|required|libclang-rt-19-dev|/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.asan-x86_64.a|ASan and UBSan of clang
test|required|llvm-19|/usr/lib/llvm-19/bin/llvm-symbolizer|readable sanitizer reports
test|required|clang-format-19|clang-format-19|the format check
test|required|libunwind-dev|/usr/include/x86_64-linux-gnu/libunwind.h|tests that unwind a fiber
test|optional|valgrind|valgrind|tests under Valgrind
test|optional|gdb|gdb|a test in which a debugger walks the stack of a fiber
test|optional|lld-19|ld.lld-19|tests with the link-time optimization of clang
test|optional|python3-matplotlib|/usr/lib/python3/dist-packages/matplotlib/__init__.py|the test of the plots
test|optional|chromium|chromium|the test of the report in a browser
test|optional|mmdebstrap|mmdebstrap|the test on a bare machine
test|optional|uidmap|newuidmap|the test on a bare machine, as an ordinary user
test|optional|libboost-context-dev|/usr/include/boost/context/fiber.hpp|building the peer Boost.Context
test|optional|libboost-fiber-dev|/usr/include/boost/fiber/all.hpp|building the peer Boost.Fiber
test|optional|libtbb-dev|/usr/include/tbb/task_group.h|building the peer TBB
peers|optional|libboost-context-dev|/usr/include/boost/context/fiber.hpp|the peer Boost.Context
peers|optional|libboost-fiber-dev|/usr/include/boost/fiber/all.hpp|the peer Boost.Fiber
peers|optional|libtbb-dev|/usr/include/tbb/task_group.h|the peer TBB
peers|optional|python3-matplotlib|/usr/lib/python3/dist-packages/matplotlib/__init__.py|the plots of the benchmark report
peers|optional|golang-go|go|the peer Go
peers|optional|cargo-web|cargo|the peers rayon and tokio (with rustc-web: that of the package rustc is too old)
tidy|required|clang-tidy-19|clang-tidy-19|the clang-tidy check
'

root=${RAMIE_SETUP_ROOT:-}  # the tests look for files below another root
groups=" build $* "
say() { printf 'setup: %s\n' "$*" >&2; }

for group in "$@"; do
  case $group in
    build | test | peers | tidy) ;;
    *) say "unknown group '$group'; there are: build, test, peers, tidy"; exit 2 ;;
  esac
done

present() {
  case $1 in
    /*) [ -e "$root$1" ] ;;
    cargo) command -v cargo >/dev/null 2>&1 || [ -x "${HOME-}/.cargo/bin/cargo" ] ;;  # rustup's may be off the PATH
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

# Sets required, optional (lists of missing packages) and reasons (for the messages).
look() {
  required=() optional=() reasons=()
  local group need package how what
  while IFS='|' read -r group need package how what; do
    [ -n "$group" ] || continue
    case $groups in *" $group "*) ;; *) continue ;; esac
    [ "$need" = optional ] && [ -n "${RAMIE_NO_OPTIONAL:-}" ] && continue
    present "$how" && continue
    case " ${required[*]-} ${optional[*]-} " in *" $package "*) continue ;; esac
    reasons+=("$package: $what ($need)")
    if [ "$need" = required ]; then required+=("$package"); else optional+=("$package"); fi
  done <<<"$table"
}

check_machine() {
  local kernel major minor
  if [ "$(uname -s)" != Linux ] || [ "$(uname -m)" != x86_64 ]; then
    say "this is $(uname -s) on $(uname -m); ramie runs on Linux on x86-64."
    exit 1
  fi
  kernel=$(uname -r)
  major=${kernel%%.*}
  minor=${kernel#*.}
  minor=${minor%%[!0-9]*}
  if [ "$major" -lt 5 ] || { [ "$major" -eq 5 ] && [ "$minor" -lt 15 ]; }; then
    say "warning: the kernel is $kernel; ramie is tested on 5.15 and later. It still runs, but without"
    say "  - memory filled ahead of use (MADV_POPULATE_WRITE, 5.14): more page faults when many fibers start;"
    say "  - guard pages without a mapping each (MADV_GUARD_INSTALL, 6.13): guarded fibers end at vm.max_map_count;"
    say "  - before 4.14, asymmetric fences (membarrier): every spawn costs a full fence."
  fi
}

check_versions() {
  local version
  version=$(g++ -dumpversion 2>/dev/null) || return 0
  if [ "${version%%.*}" -lt 12 ]; then
    say "g++ is version $version; ramie needs 12 or later (Debian 12 has 12.2)."
    exit 1
  fi
}

is_debian() {
  [ -r "$root/etc/os-release" ] || return 1
  (. "$root/etc/os-release" && case " ${ID:-} ${ID_LIKE:-} " in *" debian "*) true ;; *) false ;; esac)
}

# Runs apt-get as root, never asking anything. Without a network it ends soon: see `retries`.
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a LC_ALL=C.UTF-8 apt-get -q -y \
    -o DPkg::Lock::Timeout=120 -o Acquire::Retries="$retries" -o Acquire::http::Timeout=20 \
    -o Acquire::https::Timeout=20 "$@" </dev/null >>"$log" 2>&1
}

# apt_twice WORDS...: once more after a pause, for mirrors and locks that come back.
apt_twice() {
  apt "$@" && return 0
  sleep "${RAMIE_SETUP_PAUSE:-5}"
  apt "$@"
}

install_packages() {
  [ "$#" -eq 0 ] && return 0
  if [ "$updated" = yes ]; then apt_twice install --no-install-recommends "$@"; else apt install --no-install-recommends "$@"; fi
}

explain_missing() {
  say "missing:"
  printf 'setup:   %s\n' "${reasons[@]}" >&2
}

check_machine
look
if [ "${#required[@]}" -eq 0 ] && [ "${#optional[@]}" -eq 0 ]; then
  check_versions
  say "everything is there (build${*:+ $*})"
  exit 0
fi

command_line="apt-get update && apt-get install -y --no-install-recommends ${required[*]-} ${optional[*]-}"

# A package that cannot be installed must not stop anything if it is optional.
stop_if_required() {
  [ "${#required[@]}" -gt 0 ] && exit 1
  say "going on without it: nothing of it is required"
  check_versions
  exit 0
}

if ! is_debian || ! command -v apt-get >/dev/null 2>&1; then
  explain_missing
  say "this is not Debian, and nothing was installed. Please install what Debian calls: ${required[*]-} ${optional[*]-}"
  stop_if_required
fi
if [ -n "${RAMIE_NO_INSTALL:-}" ]; then
  explain_missing
  say "RAMIE_NO_INSTALL is set, so nothing was installed. To install: $command_line"
  stop_if_required
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    explain_missing
    say "installing needs root, and sudo without a password is not available. Please run:"
    say "  sudo sh -c '$command_line'"
    stop_if_required
  fi
fi

log=$(mktemp "${TMPDIR:-/tmp}/ramie-setup.XXXXXX") || exit 1
say "installing: ${required[*]-} ${optional[*]-} (log: $log)"
updated=yes
retries=2
# any: without it apt-get update succeeds when no mirror could be reached.
apt_twice update -o APT::Update::Error-Mode=any || updated=no retries=0

ok=yes
install_packages ${required[@]+"${required[@]}"} || ok=no
# One by one: a package that this release does not have must not keep the others out. Nor does it drive out another
# (rustc-web and rustc exclude each other).
[ "$ok" = yes ] || optional=()
for package in ${optional[@]+"${optional[@]}"}; do
  apt install --no-install-recommends --no-remove "$package" || say "could not install $package (optional)"
done

look
if [ "${#required[@]}" -gt 0 ]; then
  tail -n 15 "$log" >&2
  explain_missing
  if [ "$updated" = no ]; then
    say "apt could not reach its package sources. Connect this machine to the network (or set a proxy or a mirror for"
    say "apt), then run: $command_line"
  elif [ "$ok" = no ]; then
    say "apt could not install them; its log is $log. By hand: $command_line"
  else
    say "apt reports success, but they are still not found; look at PATH and at $log"
  fi
  exit 1
fi
check_versions
rm -f "$log"
say "installed"
