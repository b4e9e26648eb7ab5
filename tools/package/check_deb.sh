#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries the Debian packages of a folder in a clean Debian 12 that debootstrap makes, as their users would: install, run,
# serve, read the manual, complete, import, build against the library, remove. Needs root, debootstrap, systemd-analyze
# and the network; takes some minutes and is no part of the everyday tests.
#
#   tools/package/check_deb.sh FOLDER [BASE]      BASE keeps the clean Debian for the next time
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "error: $*"
  exit 1
}
[[ $# -ge 1 && -d $1 ]] || fail "usage: tools/package/check_deb.sh FOLDER [BASE]"
[[ $(id -u) -eq 0 ]] || fail "debootstrap and chroot need root"
for program in debootstrap systemd-analyze; do
  command -v "$program" >/dev/null || fail "$program is missing; install it with apt-get"
done
debs=$(cd "$1" && pwd)
compgen -G "$debs/infer_*.deb" >/dev/null || fail "$debs holds no infer_*.deb; make them with tools/release.sh"

work=$(mktemp -d)
base=${2:-$work/base}
root=$work/root
clean_up() {
  # The processes of the check hold the root; none is left when all went well.
  if [[ -n ${server:-} ]]; then kill "$server" 2>/dev/null || true; fi
  for mount in proc dev; do umount "$root/$mount" 2>/dev/null || true; done
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

# What a user of a desktop or server has and a minimal root has not, and a compiler to build against the library.
tools=(bash-completion ca-certificates curl g++ man-db pkg-config systemd zsh)
if [[ ! -e $base/etc/debian_version ]]; then
  say "making a clean Debian 12 in $base"
  debootstrap --variant=minbase bookworm "$base" >"$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log" >&2; fail debootstrap; }
fi
cp -a "$base" "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
apt() { inside apt-get -qq -o Dpkg::Use-Pty=0 "$@" >"$work/apt.log" 2>&1 || { tail -n 40 "$work/apt.log" >&2; fail "apt-get $*"; }; }

# Everything but what apt, dpkg and other packages keep about themselves.
files() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/log -o -path ./var/cache -o \
    -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./root/.cache \) -prune -o -print | sort)
}
pass() { printf '%-44s %s\n' "$1" "${2:-ok}"; }

say "installing what the check itself needs"
apt update
apt install -y --no-install-recommends "${tools[@]}"
mkdir "$root/tmp/debs"
cp "$debs"/*.deb "$root/tmp/debs/"
remove_all() {
  apt purge -y infer libinfer0 libinfer-dev libinfer-mpi python3-infer
  apt autoremove -y --purge
}
files >"$work/before"

inside sh -c 'cd /tmp/debs && apt-get -qq install -y --no-install-recommends ./infer*.deb' >"$work/apt.log" 2>&1 ||
  { cat "$work/apt.log" >&2; fail "apt install ./infer*.deb"; }
pass "apt install ./infer*.deb" "$(inside dpkg-query -W -f '${Package} ${Version}, ${Installed-Size} KiB' infer)"

tale=$(inside infer-run -q -p 'Once upon a time' -n 24 -s 1)
[[ ${#tale} -gt 40 ]] || fail "infer-run printed '$tale'"
pass "infer-run" "Once upon a time${tale:0:40}..."

chroot "$root" /usr/bin/env -i PATH=/usr/bin HOME=/ setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
  infer-serve -q --port 18080 >"$work/url" 2>"$work/serve.log" &
server=$!
for _ in $(seq 100); do
  if [[ -s $work/url ]]; then break; fi
  sleep 0.1
done
[[ -s $work/url ]] || { cat "$work/serve.log" >&2; fail "infer-serve did not start"; }
answer=$(inside curl -sf http://127.0.0.1:18080/v1/completions -H 'content-type: application/json' \
  -d '{"prompt": "Once upon a time", "max_tokens": 8}')
[[ $answer == *'"text"'* ]] || fail "infer-serve answered '$answer'"
inside curl -sf http://127.0.0.1:18080/health >/dev/null || fail "infer-serve: /health"
kill -TERM "$server"
code=0
wait "$server" || code=$?
server=
[[ $code -eq 0 ]] || fail "infer-serve ended with $code after SIGTERM"
pass "infer-serve as nobody: completion, health, SIGTERM"

inside systemd-analyze verify /usr/lib/systemd/system/infer-serve.service >"$work/verify.log" 2>&1 ||
  { cat "$work/verify.log" >&2; fail "systemd-analyze verify"; }
[[ ! -s $work/verify.log ]] || { cat "$work/verify.log" >&2; fail "systemd-analyze verify warns"; }
exposure=$(systemd-analyze security --offline=true --no-pager "$root/usr/lib/systemd/system/infer-serve.service" |
  sed -n 's/.*Overall exposure level for [^:]*: *\([0-9.]*\).*/\1/p')
awk -v level="$exposure" 'BEGIN { exit !(level != "" && level <= 3.0) }' ||
  fail "systemd-analyze security: '$exposure', expected at most 3.0"
pass "systemd-analyze verify, security --offline=true" "$exposure"

pages=0
for link in "$root"/usr/bin/infer "$root"/usr/bin/infer-* "$root"/usr/bin/gguf-inspect; do
  name=$(basename "$link")
  inside sh -c "MANWIDTH=80 man --warnings $name 2>/tmp/warnings | grep -q '^NAME'" || fail "man $name"
  [[ ! -s $root/tmp/warnings ]] || { cat "$root/tmp/warnings" >&2; fail "man $name warns"; }
  pages=$((pages + 1))
done
pass "man" "$pages pages"

completed=$(inside bash -c '
  . /usr/share/bash-completion/bash_completion
  _completion_loader infer-run
  COMP_WORDS=(infer-run --poli) COMP_CWORD=1
  _infer_run; echo "${COMPREPLY[*]}"
  _completion_loader infer
  COMP_WORDS=(infer ser) COMP_CWORD=1
  _infer; echo "${COMPREPLY[*]}"' 2>"$work/completion.log" | tr '\n' ' ')
[[ $completed == "--policy serve " ]] || { cat "$work/completion.log" >&2; fail "completion in bash gave '$completed'"; }
# The file must be found, loaded and registered for every tool by zsh itself.
inside zsh -fc 'autoload -U compinit && compinit -u -D && [[ $_comps[infer-run] == _infer_tools && $_comps[infer] == _infer_tools ]]' ||
  fail "zsh does not know the completion"
pass "completion: bash, zsh" "$completed"

inside sh -c 'cd /tmp/debs && apt-get -qq install -y --no-install-recommends ./*.deb' >"$work/apt.log" 2>&1 ||
  { cat "$work/apt.log" >&2; fail "apt install ./*.deb"; }
pass "apt install ./*.deb" "$(inside dpkg-query -W -f '${Package} ' 'libinfer*' python3-infer)"
tale=$(inside python3 -c '
import infer
print(infer.__version__, "".join(infer.load().session().generate("Once upon a time", max_tokens=8)))')
pass "python3 -c 'import infer'" "$tale"

cp "$here/../../tests/install/example/main.cc" "$root/tmp/main.cc"
inside sh -c 'c++ -std=c++20 /tmp/main.cc -o /tmp/example $(pkg-config --cflags --libs infer) &&
  /tmp/example /usr/share/infer/models/tiny-tales-q8_0.gguf "Once upon a time" >/tmp/tale 2>&1' ||
  { cat "$root/tmp/tale" >&2; fail "a program built with pkg-config"; }
pass "pkg-config, c++, a program with libinfer" "$(inside pkg-config --modversion infer)"

remove_all
files >"$work/after"
if ! diff "$work/before" "$work/after" >"$work/left"; then
  # Only what is new: other packages may tidy up their own files.
  left=$(sed -n 's/^> //p' "$work/left" | grep -i infer || true)
  [[ -z $left ]] || fail "left behind: $left"
  say "other packages' files that differ: $(grep -c '^[<>]' "$work/left")"
  sed -n 's/^[<>]/  &/p' "$work/left" | head -n 20 >&2
fi
pass "apt purge: nothing of infer is left"
