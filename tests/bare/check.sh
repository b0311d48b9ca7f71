#!/usr/bin/env bash
# ./run and ./test on a bare machine: a minimal Debian 12, in which there is nothing but what they install.
#
#   tests/bare/check.sh             packages, configuration and an object file of both, in every situation below
#   tests/bare/check.sh SITUATION   this one, and those that it begins with
#
# RAMIE_NIGHTLY=1 adds the whole of both. The package sources are those of the machine, which must be a Debian 12. Needs
# mmdebstrap, and root or user namespaces. Nothing stays mounted; what stays is build/bare/cache (the root and packages, for the next run;
# RAMIE_BARE_CACHE names another folder) and the logs in build/logs/bare.
#
# Exit status: 0 passed, 1 failed, 77 skipped: the last line says why.
# shellcheck disable=SC2317,SC2034,SC2015
set -u -o pipefail
here=$(dirname "$(readlink -f "$0")")
source=$(readlink -f "$here/../..")
work=$source/build/bare
cache=${RAMIE_BARE_CACHE:-$work/cache}
logs=$source/build/logs/bare
limit=1000 # seconds a command: everything here waits for other work on a busy machine

skip() {
  printf 'bare: skipped: %s\n' "$*"
  exit 77
}

# --- situations. Each is a function that returns whether it is well, after `after OTHER` for what must have passed.

run_as_root() {
  machine run && checkout run root /root/ramie &&
    on run root /root/ramie RAMIE_NO_OPTIONAL=1 ./run --check &&
    ! on run root / test -e /usr/include/gtest/gtest.h &&
    rm -rf run/root/root/ramie
}

run_as_user() {
  after run_as_root && machine run_user run && checkout run_user user /home/user/ramie &&
    on run_user user /home/user/ramie RAMIE_NO_OPTIONAL=1 ./run --check
}

test_as_root() {
  machine test && checkout test root /root/ramie &&
    on test root /root/ramie RAMIE_NO_OPTIONAL=1 ./test --check &&
    rm -rf test/root/root/ramie
}

test_as_user() {
  after test_as_root && machine test_user test && checkout test_user user /home/user/ramie &&
    on test_user user /home/user/ramie RAMIE_NO_OPTIONAL=1 ./test --check
}

# Without a network both end soon, with a sentence.
no_network() {
  local alone=(unshare --net) limit=300 command
  machine no_network base offline && checkout no_network root /root/ramie || return 1
  for command in ./run ./test; do
    if on no_network root /root/ramie RAMIE_SETUP_PAUSE=0 "$command" --check >said 2>&1; then return 1; fi
    cat said
    grep -F 'Connect this machine to the network' said || return 1
  done
  # Where only the optional packages are absent, it goes on without them.
  after run_as_root && machine no_network_run run offline && checkout no_network_run root /root/ramie &&
    on no_network_run root /root/ramie RAMIE_SETUP_PAUSE=0 ./run --check
}

# Two checkouts share ccache and nothing else.
side_by_side() {
  local name hits
  after run_as_root && machine ccache run && on ccache root / apt-get install -qy --no-install-recommends ccache || return 1
  machine side_by_side ccache || return 1
  for name in one two; do
    checkout side_by_side user "/home/user/$name/ramie" &&
      on side_by_side user "/home/user/$name/ramie" RAMIE_NO_OPTIONAL=1 ./run --check || return 1
  done
  if grep -rlF /home/user/one side_by_side/root/home/user/two/ramie/build; then return 1; fi
  hits=$(on side_by_side user / ccache --print-stats | awk '$1 ~ /_cache_hit$/ { hits += $2 } END { print hits + 0 }')
  printf '%s hits in ccache\n' "$hits"
  [ "$hits" -gt 0 ]
}

# ccache is there and has no place for its files.
read_only_home() {
  after side_by_side && machine read_only_home ccache && checkout read_only_home user /srv/ramie &&
    mount --bind read_only_home/root/home read_only_home/root/home &&
    mount -o remount,bind,ro read_only_home/root/home &&
    ! on read_only_home user / touch /home/user/file &&
    on read_only_home user /srv/ramie RAMIE_NO_OPTIONAL=1 ./run --check
}

blanks_and_umlauts() {
  local folder="/home/user/meine Bäume/ramie"
  after test_as_root && machine blanks test && checkout blanks user "$folder" &&
    on blanks user "$folder" RAMIE_NO_OPTIONAL=1 ./run --check &&
    on blanks user "$folder" RAMIE_NO_OPTIONAL=1 ./test --check
}

# As root, with every peer; then the peers again, as a user whose HOME is read-only.
run_whole() {
  local limit=7200
  machine run_whole && checkout run_whole root /root/ramie && on run_whole root /root/ramie ./run &&
    test -s run_whole/root/root/ramie/build/report/index.html || return 1
  machine peers run_whole && checkout peers user /srv/ramie &&
    mount --bind peers/root/home peers/root/home && mount -o remount,bind,ro peers/root/home &&
    on peers user /srv/ramie bench/build_peers.sh
}

# As an ordinary user, with every package.
test_whole() {
  local limit=14000
  machine test_whole && checkout test_whole user /home/user/ramie &&
    on test_whole root /home/user/ramie tools/setup.sh test &&
    on test_whole user /home/user/ramie ./test
}

situations=(run_as_root run_as_user test_as_root test_as_user no_network side_by_side read_only_home blanks_and_umlauts)
[ -z "${RAMIE_NIGHTLY-}" ] || situations+=(run_whole test_whole)

# --- how they run

declare -A result=()

# after SITUATION: it has passed. Runs it, if it has not run yet.
after() {
  [ -n "${result[$1]-}" ] || situation "$1" >&3
  [ "${result[$1]}" = passed ]
}

situation() {
  local name=$1 started=$SECONDS
  result[$name]=failed
  printf 'bare: %s ...\n' "$name"
  if "$name" >"$logs/$name.log" 2>&1; then
    result[$name]=passed
  else
    cat ./*/root/tmp/ramie-setup.* >"$logs/$name-apt.log" 2>/dev/null # the roots go
    tail -n 30 "$logs/$name.log"
    printf '(the whole log is %s)\n' "$logs/$name.log"
  fi
  printf 'bare: %s: %s, %s s\n' "$name" "${result[$name]}" $((SECONDS - started))
}

inside() {
  local name alone=() started=$SECONDS
  # shellcheck source=machine.sh
  . "$here/machine.sh"
  trap 'exit 130' INT TERM
  cd "$work/roots" || exit 1
  mkdir -p "$cache/archives" try/below
  if ! overlay try/below try; then
    # A file system that overlayfs cannot write to (another overlayfs): in memory then.
    mount -t tmpfs -o mode=755 tmpfs . && cd "$work/roots" && mkdir -p try/below && overlay try/below try ||
      skip "overlayfs cannot be mounted here"
  fi
  printf 'bare: base ...\n'
  if ! make_base; then
    tail -n 20 "$logs/base.log"
    printf 'bare: mmdebstrap could not make a Debian 12 of the package sources of this machine\n'
    exit 1
  fi
  grep -q '^VERSION_ID="12"$' base/etc/os-release || skip "the package sources of this machine are not of Debian 12"
  printf 'bare: base: %s s\n' $((SECONDS - started))
  exec 3>&1
  for name in "$@"; do
    [ -n "${result[$name]-}" ] || situation "$name"
  done
  [[ " ${result[*]} " != *" failed "* ]]
}

if [ "${1-}" = --inside ]; then
  shift
  inside "$@"
  exit
fi

for name in "$@"; do
  case " ${situations[*]} run_whole test_whole " in
    *" $name "*) ;;
    *)
      echo "check.sh: unknown situation '$name'; there are: ${situations[*]} run_whole test_whole" >&2
      exit 2
      ;;
  esac
done
[ "$#" -gt 0 ] || set -- "${situations[@]}"

[ -z "${RAMIE_BARE-}" ] || skip "this is the bare machine"
# shellcheck source=/dev/null
(. /etc/os-release && [ "${ID-}" = debian ] && [ "${VERSION_ID-}" = 12 ]) 2>/dev/null || skip "this is not Debian 12"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is missing (tools/setup.sh test installs it)"
git -c safe.directory='*' -C "$source" rev-parse --git-dir >/dev/null 2>&1 || skip "this is no git checkout"

enter=(unshare --mount --pid --fork --kill-child)
if [ "$(id -u)" -ne 0 ]; then
  command -v newuidmap >/dev/null || skip "an ordinary user needs the package uidmap (tools/setup.sh test installs it)"
  enter+=(--user --map-root-user --map-auto)
fi
"${enter[@]}" true 2>/dev/null ||
  skip "namespaces are not allowed here: this needs root (CAP_SYS_ADMIN), or user namespaces and a range in /etc/subuid"

mkdir -p "$work" "$logs" "$cache"
exec 9>"$work/lock"
flock 9
child=
clean() {
  [ -z "$child" ] || kill -KILL "$child" 2>/dev/null
  wait
  # Files in it belong to other users, if there are user namespaces. A process that still ends there may be writing.
  for _ in 1 2 3; do
    "${enter[@]}" rm -rf "$work/roots" && break
    sleep 1
  done
}
trap clean EXIT
trap 'exit 130' INT TERM
clean
mkdir -p "$work/roots"
"${enter[@]}" "$here/check.sh" --inside "$@" 9>&- </dev/null &
child=$!
wait "$child"
status=$?
child=
exit "$status"
