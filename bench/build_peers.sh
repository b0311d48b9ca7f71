#!/bin/sh
# Builds the peers of `ramie bench --peers` that are programs of their own (Go, tokio, rayon, crossbeam) into build/peers, or into
# the folder given. Nothing needs them: what cannot be built is named, with the way to get it, and the exit status stays
# 0 unless a peer whose tools are present fails to build. Then its old program is gone, too: no row of it is better than
# one of other code. cargo fetches the crates the first time, and so needs a network.
#
# Peers in C++ (TBB, OpenMP, Boost, std::thread) are compiled into ramie itself where CMake finds them.
#
#   bench/build_peers.sh [OUTPUT_FOLDER]
set -u

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../build/peers}
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
failed=0

say() { printf '%s\n' "$*"; }

# go and cargo keep files in HOME. Where that cannot be written, they get a place here.
if [ ! -w "${HOME:-/nonexistent}" ]; then
  export GOCACHE="${GOCACHE:-$out/go_cache}" GOPATH="${GOPATH:-$out/go_path}" CARGO_HOME="${CARGO_HOME:-$out/cargo_home}"
fi

# Debian 12's rustc is too old for tokio; its rustc-web and cargo-web are not.
find_cargo() {
  for candidate in cargo "${HOME-}/.cargo/bin/cargo"; do
    if command -v "$candidate" >/dev/null 2>&1; then
      command -v "$candidate"
      return
    fi
  done
}

go=$(command -v go || { [ -x /usr/local/go/bin/go ] && echo /usr/local/go/bin/go; })
cargo=$(find_cargo)

if [ -n "$go" ]; then
  say "go: $("$go" version)"
  for program in "$here"/*/go; do
    suite=$(basename "$(dirname "$program")")
    rm -f "$out/${suite}_go"
    if (cd "$here" && GOTOOLCHAIN=local GOFLAGS=-buildvcs=false "$go" build -o "$out/${suite}_go" "./$suite/go"); then
      say "  built ${suite}_go"
    else
      say "  FAILED ${suite}_go"
      failed=1
    fi
  done
else
  say "go: absent, so the Go rows will be missing. To get it: apt-get install golang-go"
fi

if [ -n "$cargo" ]; then
  say "tokio, rayon and crossbeam: $("$cargo" --version)"
  for program in "$here"/*/tokio "$here"/*/rayon "$here"/*/crossbeam; do
    [ -d "$program" ] || continue
    name=$(basename "$(dirname "$program")")_$(basename "$program")
    rm -f "$out/$name"
    if (cd "$here" && CARGO_TARGET_DIR="$out/cargo" "$cargo" build --release --locked --quiet --bin "$name") &&
      cp "$out/cargo/release/$name" "$out/$name.new" && mv "$out/$name.new" "$out/$name"; then
      say "  built $name"
    else
      say "  FAILED $name: see above"
      failed=1
    fi
  done
else
  say "tokio, rayon and crossbeam: cargo is absent, so their rows will be missing. To get it: apt-get install cargo-web rustc-web"
fi

exit "$failed"
