# Bare machines for tests/bare/check.sh: a minimal Debian 12 root, and roots on top of it (overlayfs). Runs as root in
# namespaces of its own (mounts, processes; for an ordinary user also users), so that nothing outlives it. The current
# folder is where the roots are; $cache is the folder for what the next run can use again.
# shellcheck shell=bash disable=SC2154,SC2016

# apt's own settings on this machine: proxies, certificates, dates. Not programs, which the root does not have.
machine_apt_settings() {
  apt-config dump | grep -E '^Acquire::[^ ]+ "[^"]+";$' | grep -viE 'IndexTargets|Changelogs|cdrom|CompressionTypes|Auto-?Detect'
}

machine_apt_sources() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [ ! -s "$file" ] || printf '%s\n' "$file"
  done
}

# make_base: the folder base, a root with this machine's package sources and its way to the network, and the user `user`.
make_base() {
  local sources key trust
  mapfile -t sources < <(machine_apt_sources)
  key=$({ machine_apt_settings; cat "${sources[@]}"; } | sha256sum)
  if [ ! -s "$cache/base.tar" ] || [ "$key" != "$(cat "$cache/base.key" 2>/dev/null)" ] ||
    [ -z "$(find "$cache/base.tar" -mtime -7)" ]; then
    rm -rf "$cache"
    mkdir -p "$cache/archives" tmp
    machine_apt_settings >apt.conf
    # In memory: dpkg waits for the disk after every file.
    mount -t tmpfs -o mode=755 tmpfs tmp || return 1
    trust='for file in keyrings trusted.gpg trusted.gpg.d auth.conf auth.conf.d preferences preferences.d; do
        [ ! -e "/etc/apt/$file" ] || cp -a "/etc/apt/$file" "$1/etc/apt/"; done
      mkdir -p "$1/usr/share/keyrings" && cp -a /usr/share/keyrings/. "$1/usr/share/keyrings/"'
    TMPDIR=$PWD/tmp mmdebstrap --mode=root --format=tar --variant=minbase --aptopt=apt.conf --setup-hook="$trust" \
      bookworm "$cache/base.new" "${sources[@]}" >"$logs/base.log" 2>&1 </dev/null || return 1
    umount tmp
    mv "$cache/base.new" "$cache/base.tar"
    printf '%s\n' "$key" >"$cache/base.key"
  fi
  mkdir base
  tar -xf "$cache/base.tar" -C base --numeric-owner --exclude='./dev/*' || { rm -f "$cache/base.key"; return 1; }
  cp -L /etc/resolv.conf /etc/hosts base/etc/
  mkdir -p base/etc/ssl/certs base/usr/local/share/ca-certificates
  cp -r /usr/local/share/ca-certificates/. base/usr/local/share/ca-certificates/ 2>/dev/null
  cp -L /etc/ssl/certs/ca-certificates.crt base/etc/ssl/certs/ 2>/dev/null
  chroot base useradd --create-home --shell /bin/bash user
}

# overlay BELOW NAME: mounts NAME/root, which begins as BELOW (folders with colons between them). Without waiting for the
# disk: no root outlives this run.
overlay() {
  local options=lowerdir=$1,upperdir=$2/upper,workdir=$2/work
  # Among user namespaces overlayfs must keep its marks where users may write.
  grep -q ' 4294967295$' /proc/self/uid_map || options+=,userxattr
  mkdir -p "$2/upper" "$2/work" "$2/root"
  mount -t overlay overlay -o "$options,volatile" "$2/root" || mount -t overlay overlay -o "$options" "$2/root"
}

# machine NAME [BELOW [offline]]: a machine that begins as the machine BELOW was left, or bare. Offline it has no packages
# from earlier runs.
machine() {
  local name=$1 below=${2:-base} root=$1/root device
  if [ "$below" != base ]; then below=$below/upper:$(cat "$below/below"); fi
  mkdir "$name"
  printf '%s\n' "$below" >"$name/below"
  overlay "$below" "$name" || return 1
  mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount -t tmpfs -o mode=755 tmpfs "$root/dev" ||
    return 1
  for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device" || return 1
  done
  mkdir "$root/dev/shm" "$root/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  ln -s fd/0 "$root/dev/stdin"
  ln -s fd/1 "$root/dev/stdout"
  ln -s fd/2 "$root/dev/stderr"
  [ "${3-}" = offline ] || mount --bind "$cache/archives" "$root/var/cache/apt/archives"
}

# checkout NAME USER FOLDER: a copy of what git knows, with what is changed and not yet committed.
checkout() {
  mkdir -p "$1/root$3"
  git -c safe.directory='*' -C "$source" ls-files -z |
    tar -C "$source" -c --null -T - --ignore-failed-read --warning=no-failed-read |
    tar -x -C "$1/root$3" --no-same-owner || return 1
  chroot "$1/root" chown -R "$2:" "$3"
}

# on NAME USER FOLDER COMMAND...: runs it there, with an environment as after a login. The status is the command's.
on() {
  local root=$1/root user=$2 folder=$3 home=/root variable
  shift 3
  [ "$user" = root ] || home=/home/$user
  printf '$ cd %s && %s    # as %s, on the machine %s\n' "$folder" "$*" "$user" "${root%%/*}"
  local environment=(HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash TERM=dumb RAMIE_BARE=inside
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  for variable in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY RAMIE_JOBS; do
    [ -z "${!variable-}" ] || environment+=("$variable=${!variable}")
  done
  timeout --kill-after=10 "$limit" "${alone[@]}" chroot --userspec="$user:$user" --groups= "$root" \
    env -i "${environment[@]}" sh -c 'cd "$1" && shift && exec "$@"' sh "$folder" env "$@" </dev/null
  local status=$?
  [ "$status" -ne 124 ] || printf 'ended after %s seconds\n' "$limit"
  return "$status"
}
