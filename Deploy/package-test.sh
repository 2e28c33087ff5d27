#!/usr/bin/env bash
# Makes the packages, and installs, starts, upgrades, breaks and removes them in clean root file systems: everything that the pages
# Installing and WhenItAllGoesWrong say, and every command of them. At the end it prints the figures, those of the Sizing page too, and
# what was not run.
#
#   --binaries DIR   takes the programs of this directory instead of building them
#   --work DIR       works there and keeps the clean root file system for the next run; a temporary directory by default
#
# Needs root, Debian, and packages from Debian's mirror and from PyPI, which it installs itself. Ends with 1 if a check failed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

binaries=()
work=""
while [ $# -gt 0 ]; do
    case "$1" in
        --binaries) binaries=(--binaries "${2:?}") ;;
        --work) work=${2:?} ;;
        *) fail "usage: Deploy/package-test.sh [--binaries DIR] [--work DIR]" ;;
    esac
    shift 2
done
[ "$(id -u)" -eq 0 ] || fail "root file systems are made, mounted and entered: run this as root"

require_packages binutils buildah curl debootstrap docker-compose fish iproute2 mandoc openssl procps prometheus python3 python3-venv \
    python3-yaml systemd systemd-container util-linux zsh
command -v kubectl >/dev/null 2>&1 || require_packages kubernetes-client

is_temporary=false
if [ -z "$work" ]; then
    is_temporary=true
    work=$(mktemp -d /var/tmp/switchboard-packages.XXXXXX)
fi
mkdir -p "$work"
work=$(realpath "$work")
run=$work/run
pages=Sources/switchboard/Documentation.docc
page=$pages/Installing.md
version=0
host=""
namespace=""
finished=false

# ---- What ends in any case -------------------------------------------------------------------------------------------------------

# Removes what a run leaves in its folder, also one that was killed; the clean root file system stays.
tidy() {
    awk -v below="$work/" 'index($2, below) == 1 {print $2}' /proc/self/mounts | sort -r | while read -r mounted; do umount "$mounted"; done
    for folder in "$work"/*; do [ "$folder" = "$work/base" ] || rm -rf --one-file-system "$folder"; done
}

clean() {
    set +e
    $finished || printf '\nThe test has stopped before its end.\n'
    [ ! -e "$run/pid" ] || kill -9 "$(cat "$run/pid")" 2>/dev/null
    [ -z "$host" ] || kill -9 "$host" 2>/dev/null
    [ -z "$namespace" ] || kill "$namespace" 2>/dev/null
    wait 2>/dev/null
    tidy
    ! $is_temporary || rm -rf --one-file-system "$work"
}
trap clean EXIT
trap 'printf "failed: %s\n" "$BASH_COMMAND" >&2' ERR
tidy

# ---- Checks ----------------------------------------------------------------------------------------------------------------------

passed=0
failures=()

# A check: its text, and a command. Prints the end of the command's output if it fails.
check() {
    local status
    # A later check may read what the one before it has printed.
    [ ! -e "$work/output" ] || mv "$work/output" "$work/previous"
    set +e
    (
        set -e
        "${@:2}"
    ) >"$work/output" 2>&1
    status=$?
    set -e
    if [ "$status" -eq 0 ]; then
        printf '  ok      %s\n' "$1"
        passed=$((passed + 1))
    else
        printf '  FAILED  %s\n' "$1"
        tail -n 12 "$work/output" | awk '{print "          | " $0}'
        failures+=("$1")
    fi
}

# A figure: its text, the value, a bound, and the unit.
figures=()
figure() {
    figures+=("$1: ${2:-none}${4:+ $4} (at most $3)")
    check "$1: $2${4:+ $4}, at most $3" awk -v value="$2" -v bound="$3" 'BEGIN {exit !(value != "" && value <= bound)}'
}

# The command must fail.
fails() { ! "$@"; }

# Repeats a command until it succeeds: the seconds, and the command.
within() {
    local end=$((SECONDS + $1))
    until "${@:2}" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || { "${@:2}" || return 1; }
        sleep 0.1
    done
}

# What a check needs first: its output is shown only if it fails, which ends the test.
prepare() {
    "$@" >"$work/output" 2>&1 || {
        tail -n 20 "$work/output"
        fail "failed: $*"
    }
}

# A check with a command of a page, which must be there as it is run here: the text, the command, and what runs it.
tested=()
from_page() {
    tested+=("$2")
    check "$1: $2" "${@:3}" "$2"
}

# ---- Gateways in a root file system ----------------------------------------------------------------------------------------------

# Runs a gateway as the service manager does: with a notification socket. Writes what happens, with milliseconds, to `events`.
mkdir -p "$run"
cat >"$run/manager.py" <<'PYTHON'
import os, pathlib, selectors, signal, socket, subprocess, sys, time

folder, path, *command = sys.argv[1:]
folder = pathlib.Path(folder)
pathlib.Path(path).unlink(missing_ok=True)
notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notifications.bind(path)
os.chmod(path, 0o666)
events = open(folder / "events", "w", buffering=1)
start = time.monotonic()
with open(folder / "errors", "w") as errors:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL)
(folder / "pid").write_text(str(process.pid))


def note(text):
    print(round((time.monotonic() - start) * 1000), text, file=events)


selector = selectors.DefaultSelector()
selector.register(process.stdout, selectors.EVENT_READ)
selector.register(notifications, selectors.EVENT_READ)
running = True
while running:
    for key, _ in selector.select():
        if key.fileobj is notifications:
            for line in notifications.recv(4096).decode().splitlines():
                note(line)
        else:
            line = process.stdout.readline()
            running = bool(line)
            if line:
                note(line.decode().strip())
code = process.wait()
notifications.setblocking(False)
try:
    while True:
        for line in notifications.recv(4096).decode().splitlines():
            note(line)
except BlockingIOError:
    pass
note(f"exit {code}")
PYTHON

# Without network: a namespace with nothing but the loopback address.
unshare --net sleep infinity &
namespace=$!
is_apart() { [ "$(readlink /proc/self/ns/net)" != "$(readlink "/proc/$namespace/ns/net")" ]; }
within 5 is_apart
inside() { nsenter --net="/proc/$namespace/ns/net" "$@"; }
inside ip link set lo up

event() { grep -qE "^[0-9]+ $1" "$run/events"; }
event_time() { sed -nE "s/^([0-9]+) $1.*/\1/p" "$run/events" | head -n 1; }
errors_say() { grep -q -- "$1" "$run/errors" || { cat "$run/errors"; return 1; }; }

# Starts a command under the manager: the notification socket outside, and the command.
manage() {
    rm -f "$run"/{events,pid}
    touch "$run/events"
    inside python3 "$run/manager.py" "$run" "$@" &
    within 60 test -s "$run/pid"
}
# Starts what the installed unit starts, as its user, in a root file system.
start_unit() {
    local words
    read -ra words < <(sed -n 's/^ExecStart=//p' "$1/usr/lib/systemd/system/switchboard.service")
    mkdir -p "$1/run"
    manage "$1/run/notify" env -i PATH=/usr/sbin:/usr/bin NOTIFY_SOCKET=/run/notify WATCHDOG_USEC=400000 \
        chroot --userspec=switchboard:switchboard "$1" "${words[@]}"
}
listens() { within 30 event 'listening on'; }
exits_with() { within 60 event "exit $1\$"; }
stop_gateway() {
    [ ! -e "$run/pid" ] || kill -TERM "$(cat "$run/pid")" 2>/dev/null || true
    within 60 event exit || { cat "$run/events"; return 1; }
}
# A request to the gateway: the path, and more arguments of curl. The token is that of the data directory $data.
data=""
request() { inside curl -sS --fail-with-body -m 10 -H "Authorization: Bearer $(cat "$data/admin-token")" -H 'Content-Type: application/json' "http://127.0.0.1:8080$1" "${@:2}"; }
has_brand() { request /v1/brands | grep -q "\"id\":\"${1:-acme}\""; }
make_brand() { request /v1/brands -d '{"id":"acme","name":"Acme","settings":{"quietHours":{"from":"22:00","to":"07:00","timeZone":"Europe/Berlin"}}}'; }
is_ready() { request /readyz; }
# An event: the first time it is accepted, later it is a duplicate.
post_event() { request /v1/brands/acme/events -d '{"id":"evt-1","type":"agent.message","consumer":"u-1","text":"hello"}' | tee /dev/stderr | grep -q "\"$1\":1"; }

# ---- Root file systems -----------------------------------------------------------------------------------------------------------

if [ ! -e "$work/base/.complete" ]; then
    say "a clean Debian (debootstrap)"
    rm -rf "$work/base"
    debootstrap --variant=minbase bookworm "$work/base" http://deb.debian.org/debian >"$work/debootstrap" || { tail "$work/debootstrap"; exit 1; }
    cp /etc/apt/apt.conf.d/* "$work/base/etc/apt/apt.conf.d/" 2>/dev/null || true
    chroot "$work/base" apt-get -q update >/dev/null
    touch "$work/base/.complete"
fi
# A new root file system, with the packages in /root.
clean_root() {
    cp -a "$work/base" "$work/$1"
    cp "$work"/packages/*.{deb,tar.gz} "$work/next"/*.deb "$work/$1/root/"
    mount -t proc proc "$work/$1/proc"
}
drop_root() {
    umount "$1/proc"
    rm -rf --one-file-system "$1"
}
# Runs a command of the page in /root of a root file system: the root, and the command.
in_root() { chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/root \
    sh -c "cd /root; ${2/apt-get/apt-get -q -y --no-install-recommends}"; }
# Every file that is not a trace of apt and dpkg themselves.
files_of() {
    (cd "$1" && find . -xdev \( -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./root \
        -o -path ./run -o -path ./tmp -o -path ./proc -o -path ./dev \) -prune -o -print | sort)
}

# ---- The packages ----------------------------------------------------------------------------------------------------------------

say "the packages"
make_packages() { Deploy/package.sh "${binaries[@]}" --output "$work/packages"; }
# The programs are built before the time is taken.
if [ ${#binaries[@]} -eq 0 ]; then
    require_swift
    require_packages "${build_packages[@]}"
    build_release switchboard push-simulator
fi
SECONDS=0
from_page "made" "Deploy/package.sh" make_packages
figure "packages from a warm build" "$SECONDS" 180 s
[ -e "$work/packages/compose" ] || fail "there are no packages to test"
Deploy/package.sh "${binaries[@]}" --output "$work/again" >/dev/null
check "the same programs make the same files" diff -r "$work/packages" "$work/again"
rm -rf "$work/again"
Deploy/package.sh "${binaries[@]}" --output "$work/next" --revision 2 >/dev/null
deb=$(basename "$work"/packages/*.deb)
version=$(dpkg-deb -f "$work/packages/$deb" Version)
version=${version%-1}
architecture=$(dpkg-deb -f "$work/packages/$deb" Architecture)
tarball=switchboard-$version-linux-$architecture
python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet --disable-pip-version-check kubernetes-validate==1.37.0 'cyclonedx-python-lib[json-validation]'

dpkg-deb -x "$work/packages/$deb" "$work/unpacked"
materials_are_valid() {
    "$work/python/bin/python" - "$@" <<'PYTHON'
import pathlib, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for path in sys.argv[1:]:
    error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(pathlib.Path(path).read_text())
    if error:
        sys.exit(f"{path}: {error}")
PYTHON
}
materials=$work/unpacked/usr/share/doc/switchboard/sbom.cdx.json
check "bills of materials are valid CycloneDX 1.5" materials_are_valid "$materials" "$work/packages/$tarball.cdx.json" "$work/packages/container/sbom.cdx.json"
check "that of the Debian package names swift-nio and Swift" grep -c -E '"name": "swift(-nio)?"' "$materials"
check "that of the container names libssl3" grep -q '"name": "libssl3"' "$work/packages/container/sbom.cdx.json"
gunzip -k "$work"/unpacked/usr/share/man/man1/*.gz
lint_manuals() { mandoc -T lint -W warning "$work"/unpacked/usr/share/man/man1/*.1; }
check "$(find "$work/unpacked/usr/share/man/man1" -name '*.1' | wc -l) manual pages have no warning" lint_manuals
has_bash() { bash -c '. "$1" && complete -p switchboard' - "$work/unpacked/usr/share/bash-completion/completions/switchboard"; }
check "completions: bash" has_bash
check "completions: zsh" zsh -n "$work/unpacked/usr/share/zsh/vendor-completions/_switchboard"
check "completions: fish" fish -n "$work/unpacked/usr/share/fish/vendor_completions.d/switchboard.fish"
rm "$work"/unpacked/usr/share/man/man1/*.1
figure "installed size of the Debian package" "$(du -sb "$work/unpacked" | awk '{printf "%.1f", $1 / 1e6}')" 120 MB
figure "size of the container's root file system" "$(stat -c %s "$work/packages/container/rootfs.tar" | awk '{printf "%.1f", $1 / 1e6}')" 120 MB

# ---- The life of the Debian package ----------------------------------------------------------------------------------------------

say "Debian package in a clean root file system"
clean_root plain
root=$work/plain
data=$root/var/lib/switchboard
prepare in_root "$root" "apt-get install $(dpkg-deb -f "$work/packages/$deb" Depends | sed -E 's/ \([^)]*\)//g; s/,//g')"
files_of "$root" >"$work/before"
from_page "installed" "apt-get install ./$deb" in_root "$root"
check "the user exists and has no login" grep -qE '^switchboard:.*:/usr/sbin/nologin$' "$root/etc/passwd"
owned() { [ "$(chroot "$root" stat -c '%U:%G %a' "$1")" = "$2" ] || { chroot "$root" stat "$1"; return 1; }; }
check "the data directory is the user's alone" owned /var/lib/switchboard "switchboard:switchboard 700"
check "the settings are root's" owned /etc/switchboard/switchboard.yaml "root:root 644"
check "the unit is enabled" test -L "$root/etc/systemd/system/multi-user.target.wants/switchboard.service"
exposure=$(systemd-analyze security --offline=true --no-pager --root="$root" switchboard.service | sed -nE 's/.*level for .*: ([0-9.]+).*/\1/p')
figure "systemd-analyze security --offline=true: exposure" "$exposure" 2.5 ""

say "its ExecStart, with a notification socket"
# The shortest of three first starts: other processes of this host lengthen each.
shortest=""
for attempt in 1 2 3; do
    start_unit "$root"
    check "first start $attempt: READY=1 is sent" within 30 event READY=1
    check "it is ready" is_ready
    shortest=$(printf '%s\n' ${shortest:+"$shortest"} "$(event_time READY=1)" | sort -n | head -n 1)
    [ "$attempt" -lt 3 ] || break
    check "it stops" stop_gateway
    rm -rf "${data:?}"/*
done
figure "from the start to ready, on an empty host" "$shortest" 1000 ms
check "it listens" listens
check "WATCHDOG=1 is sent at half of WATCHDOG_USEC (200 ms)" within 3 bash -c "[ \$(grep -c WATCHDOG=1 '$run/events') -ge 5 ]"
watchdog_pace() { awk '/WATCHDOG=1/ {if (last != "" && $1 - last > 400) exit 1; last = $1; count++} END {if (count < 5) exit 1}' "$run/events" || { cat "$run/events"; return 1; }; }
check "and never later than WATCHDOG_USEC" watchdog_pace
check "it runs as its user" bash -c "[ \$(stat -c %u /proc/\$(cat '$run/pid')) = \$(chroot '$root' id -u switchboard) ]"
check "its files are its user's alone" bash -c "[ -z \"\$(find '$data' -type f -perm /077)\" ]"
check "a brand with a time zone is created" make_brand
check "an event is accepted" post_event accepted

say "upgraded while it runs, stopped"
sed -i 's/^  level: info$/  level: notice/' "$root/etc/switchboard/switchboard.yaml"
from_page "upgraded" "apt-get install ./switchboard_$version-2_$architecture.deb" in_root "$root"
check "the running gateway did not notice" is_ready
check "changed settings are kept" grep -qx '  level: notice' "$root/etc/switchboard/switchboard.yaml"
check "it stops" stop_gateway
check "with exit code 0" event 'exit 0$'
check "STOPPING=1 is sent first" event STOPPING=1
start_unit "$root"
check "the new version listens" listens
check "the brand is there" has_brand
check "the event is a duplicate: data survived" post_event duplicates
check "it stops" stop_gateway

say "a unit without its master key"
mv "$data/master-key" "$work/master-key" || true
start_unit "$root"
check "ends with exit code 4" exits_with 4
check "and says which file is missing" errors_say '/var/lib/switchboard/master-key'
check "no new key is made" fails test -e "$data/master-key"
check "the unit does not repeat such a start" grep -qE '^RestartPreventExitStatus=.*\b4\b' "$root/usr/lib/systemd/system/switchboard.service"
mv "$work/master-key" "$data/master-key" || true
start_unit "$root"
check "with the key it starts again" listens
check "the brand is there" has_brand
check "it stops" stop_gateway

say "removed, purged"
from_page "removed" "apt-get remove switchboard" in_root "$root"
check "data and settings are kept" test -e "$data/switchboard.sqlite" -a -e "$root/etc/switchboard/switchboard.yaml"
from_page "purged" "apt-get purge switchboard" in_root "$root"
check "the data is gone" fails test -e "$data"
check "the user is gone" fails grep -q switchboard "$root/etc/passwd" "$root/etc/group"
files_of "$root" >"$work/after"
check "no other file was left or changed places" diff <(grep -vE '^./etc/(passwd|group|shadow|gshadow|subuid|subgid)-?$' "$work/before") \
    <(grep -vE '^./etc/(passwd|group|shadow|gshadow|subuid|subgid)-?$' "$work/after")
drop_root "$root"

say "a full disk during an upgrade"
clean_root full
root=$work/full
data=$root/var/lib/switchboard
prepare in_root "$root" "apt-get install ./$deb"
# The whole system on a file system of its own, whose size leaves too little for the new program.
mkdir "$work/disk"
mount -t tmpfs -o size=4g tmpfs "$work/disk"
umount "$root/proc"
cp -a "$root/." "$work/disk/"
rm -rf "$root"
root=$work/disk
mount -t proc proc "$root/proc"
data=$root/var/lib/switchboard
start_unit "$root"
check "it listens" listens
check "a brand is created" make_brand
check "an event is accepted" post_event accepted
resize() { mount -o remount,size="$(($(du -skx "$1" | cut -f 1) + $2))k" "$1"; }
resize "$root" 90000
sum=$(sha256sum <"$root/usr/bin/switchboard")
check "the upgrade fails" fails in_root "$root" "apt-get install ./switchboard_$version-2_$architecture.deb"
check "for want of space" grep 'No space left on device' "$work/previous"
check "the old program is in place" bash -c "[ '$sum' = \"\$(sha256sum <'$root/usr/bin/switchboard')\" ]"
check "the old version is installed" bash -c "chroot '$root' dpkg-query -W -f '\${Status} \${Version}' switchboard | grep -qx 'install ok installed $version-1'"
check "the gateway still serves" within 10 is_ready
check "and has its data" post_event duplicates
mount -o remount,size=4g "$root"
check "with space the upgrade succeeds" in_root "$root" "apt-get install ./switchboard_$version-2_$architecture.deb"
check "the new version is installed" bash -c "chroot '$root' dpkg-query -W -f '\${Status} \${Version}' switchboard | grep -qx 'install ok installed $version-2'"
check "it stops" stop_gateway

say "a full disk during a migration"
rm -rf "${data:?}"/*
mount -t tmpfs -o mode=700 tmpfs "$data"
python3 - "$data/switchboard.sqlite" Tests/SQLiteStorageTests/Fixtures/data-0001.sql <<'PYTHON'
import pathlib, sqlite3, sys
sqlite3.connect(sys.argv[1]).executescript(pathlib.Path(sys.argv[2]).read_text())
PYTHON
cp Tests/SQLiteStorageTests/Fixtures/data-0001.master-key "$data/master-key"
head -c 32 /dev/zero | base64 >"$data/admin-token"
chroot "$root" chown -R switchboard:switchboard /var/lib/switchboard
chmod 600 "$data"/*
resize "$data" 100
sum=$(sha256sum <"$data/switchboard.sqlite")
start_unit "$root"
check "data of the first version is not migrated" within 60 event 'exit [1-6]$'
check "and the reason is the space" errors_say 'the disk is full'
check "the data is unchanged" bash -c "[ '$sum' = \"\$(sha256sum <'$data/switchboard.sqlite')\" ]"
mount -o remount,size=100m "$data"
start_unit "$root"
check "with space it is migrated" listens
check "its brands are there" has_brand travel
check "a copy of the data before the migration is kept" bash -c "ls '$data'/switchboard.sqlite.at-*"
check "it stops" stop_gateway
umount "$data" "$root/proc" "$root"

# ---- Tarball, and the package over running data ----------------------------------------------------------------------------------

say "tarball in a clean root file system"
clean_root mixed
root=$work/mixed
data=$root/var/lib/switchboard
libraries=$(grep -m 1 '^apt-get install ca-certificates ' "$page")
from_page "libraries" "$libraries" in_root "$root"
from_page "unpacked" "tar -xzf $tarball.tar.gz" in_root "$root"
check "no library is missing" bash -c "! chroot '$root' ldd '/root/$tarball/bin/switchboard' '/root/$tarball/bin/push-simulator' | grep 'not found'"
check "push-simulator runs" chroot "$root" "/root/$tarball/bin/push-simulator" --help
serve_tarball() { manage "$run/notify" env -i PATH=/usr/sbin:/usr/bin chroot "$root" sh -c "cd /root && exec $1 --data-dir /var/lib/switchboard"; }
from_page "started by root, on /var/lib/switchboard" "$tarball/bin/switchboard serve" serve_tarball
check "it listens" listens
check "a brand is created" make_brand
check "an event is accepted" post_event accepted

say "the Debian package over this running data"
check "is installed" in_root "$root" "apt-get install ./$deb"
check "and names the owner of the data" grep 'belongs to root' "$work/previous"
printed=$(sed -n 's/^ *\(chown -R .*\) && systemctl restart switchboard$/\1/p' "$work/previous")
check "the running gateway did not notice" is_ready
check "the data still belongs to root" owned /var/lib/switchboard "root:root 700"
check "the event is a duplicate" post_event duplicates
cp "$run/pid" "$work/first"
start_unit "$root"
check "the unit ends with exit code 3 meanwhile" exits_with 3
prepare chroot "$root" chown -R switchboard:switchboard /var/lib/switchboard
start_unit "$root"
check "also if it owns the data: another process uses it" exits_with 3
check "the running gateway did not notice" is_ready
prepare chroot "$root" chown -R root:root /var/lib/switchboard
cp "$work/first" "$run/pid"
kill -TERM "$(cat "$run/pid")"
check "it stops" within 30 fails test -e "/proc/$(cat "$run/pid")"
check "the command that it printed works: $printed" in_root "$root" "${printed:-false}"
start_unit "$root"
check "the service listens" listens
check "the brand is there" has_brand
check "the event is a duplicate: data survived" post_event duplicates
check "it stops" stop_gateway
drop_root "$root"

# ---- Container -------------------------------------------------------------------------------------------------------------------

say "container: image"
images() { buildah --root "$work/images" --runroot "$work/images.run" --storage-driver vfs "$@"; }
# The command of the page with another builder: there is no Docker here.
build_image() { local words; read -ra words <<<"${1#docker build}"; (cd "$work/packages" && images build --isolation chroot --format docker "${words[@]}"); }
from_page "built" "docker build --tag switchboard:$version container" build_image
images inspect --type image "switchboard:$version" >"$work/image.json"
# A list of the image's configuration, one element a line.
image() { python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))["Docker"]["config"]
for key in sys.argv[2:]: value = value[key]
print(value if isinstance(value, str) else "\n".join(value))' "$work/image.json" "$@"; }
check "its user is not root" bash -c "[ '$(image User)' = 65532:65532 ]"
container=$(images from "switchboard:$version")
layer=$(images mount "$container")
figure "size of the image" "$(du -sb "$layer" | awk '{printf "%.1f", $1 / 1e6}')" 120 MB
check "it has no shell" fails test -e "$layer/bin/sh" -o -e "$layer/usr/bin/sh"
check "it has certificates of authorities where OpenSSL looks for them" bash -c "[ \"\$(grep -c BEGIN '$layer/etc/ssl/certs/ca-certificates.crt')\" -gt 100 ] && [ \"\$(readlink '$layer/usr/lib/ssl/cert.pem')\" = /etc/ssl/certs/ca-certificates.crt ]"
mkdir -p "$work/container"
root=$work/container
mount --bind "$layer" "$root"
mount -o remount,ro,bind "$root"
# What a container gets: its volume, /proc, /dev.
volume() {
    ! mountpoint -q "$root/var/lib/switchboard" || umount "$root/var/lib/switchboard"
    mount -t tmpfs -o uid=65532,gid=65532,mode=700 tmpfs "$root/var/lib/switchboard"
}
volume
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/urandom" c 1 9
data=$root/var/lib/switchboard
mapfile -t image_variables < <(image Env)
mapfile -t entry < <(image Entrypoint)
mapfile -t default_command < <(image Cmd)
mapfile -t health < <(image Healthcheck Test | tail -n +2)
run_container() { manage "$run/notify" setpriv --no-new-privs env -i "${image_variables[@]}" "${variables[@]}" chroot --userspec=65532:65532 --groups= "$root" "${entry[@]}" "$@"; }
in_container() { inside setpriv --no-new-privs env -i "${image_variables[@]}" chroot --userspec=65532:65532 --groups= "$root" "$@"; }
is_healthy() { in_container "${health[@]}"; }

say "container: run in a chroot without network, read-only, not as root"
variables=()
run_command=$(grep -m 1 '^docker run ' "$page")
start_container() { run_container "${default_command[@]}"; }
from_page "started" "$run_command" start_container
check "the command of the page asks for a read-only root and no capabilities" bash -c "[[ '$run_command' == *' --read-only '* && '$run_command' == *' --cap-drop ALL '* ]]"
check "it listens" listens
check "the health check of the image succeeds" is_healthy
check "it has no capabilities" grep -qx $'CapEff:\t0000000000000000' "/proc/$(cat "$run/pid")/status"
check "nothing can be written outside the volume" fails in_container /usr/bin/wget -q -O /tmp/x http://127.0.0.1:8080/livez
check "a brand with a time zone is created" make_brand
check "an event is accepted" post_event accepted
check "/metrics is on port 9090" bash -c "nsenter --net=/proc/$namespace/ns/net curl -sS http://127.0.0.1:9090/metrics | grep -q '^process_resident_memory_bytes [1-9]'"
exec_in_container() { local words; read -ra words <<<"${1#docker exec switchboard}"; in_container "${words[@]}" | grep acme; }
from_page "brands" "docker exec switchboard /usr/bin/switchboard brand list --admin-token-file /var/lib/switchboard/admin-token" exec_in_container
check "it stops" stop_gateway
check "with exit code 0" event 'exit 0$'
check "the health check fails then" fails is_healthy
start_container
check "it starts again on its volume" listens
check "the event is a duplicate: data survived" post_event duplicates
check "it stops" stop_gateway
volume
variables=(SWITCHBOARD_SERVER_MASTER_KEY_FILE=/run/secrets/missing)
start_container
check "a named master key that is missing: exit code 4" exits_with 4

# ---- Kubernetes ------------------------------------------------------------------------------------------------------------------

say "Kubernetes"
here() { (cd "$work/packages" && sh -c "$1"); }
from_page "master key" "openssl rand -base64 32 > master-key" here
from_page "admin token" "openssl rand -hex 32 > admin-token" here
without_cluster() { here "$1 --dry-run=client --output yaml" | tee "$work/secret.yaml"; }
from_page "secret" "kubectl create secret generic switchboard --from-file=master-key --from-file=admin-token" without_cluster
validate() { "$work/python/bin/kubernetes-validate" --strict "$work/secret.yaml" "$work"/packages/kubernetes/*.yaml; }
from_page "kubernetes-validate accepts all manifests" "kubectl apply --filename kubernetes" validate
cat >"$work/manifests.py" <<'PYTHON'
import base64, pathlib, sys, yaml
folder, secret, target = map(pathlib.Path, sys.argv[1:])
documents = {d["kind"]: d for path in folder.glob("*.yaml") for d in yaml.safe_load_all(path.read_text())}
pod = documents["StatefulSet"]["spec"]["template"]["spec"]
container = pod["containers"][0]
assert documents["StatefulSet"]["spec"]["replicas"] == 1
assert {"startupProbe", "livenessProbe", "readinessProbe", "resources"} <= set(container)
assert container["readinessProbe"]["httpGet"]["path"] == "/readyz" and container["livenessProbe"]["httpGet"]["path"] == "/livez"
assert container["resources"]["requests"] and container["resources"]["limits"]["memory"]
assert pod["securityContext"]["runAsNonRoot"] and container["securityContext"]["readOnlyRootFilesystem"]
assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
assert "env" not in container and "envFrom" not in container, "secrets are files"
labels = documents["StatefulSet"]["spec"]["template"]["metadata"]["labels"].items()
for kind in ["PodDisruptionBudget", "Service"]:
    selector = documents[kind]["spec"]["selector"]
    assert selector.get("matchLabels", selector).items() <= labels, kind
mounted = {v["name"]: v for v in pod["volumes"]}
assert mounted["secrets"]["secret"]["secretName"] == yaml.safe_load(secret.read_text())["metadata"]["name"]
# What the pod sees: settings and secrets, as files.
(target / "etc").mkdir(parents=True)
(target / "secrets").mkdir()
for name, text in documents["ConfigMap"]["data"].items():
    (target / "etc" / name).write_text(text)
for name, text in yaml.safe_load(secret.read_text())["data"].items():
    (target / "secrets" / name).write_bytes(base64.b64decode(text))
print("\n".join(container["args"]), file=open(target / "args", "w"))
PYTHON
check "probes, resources, budget, and secrets as files" python3 "$work/manifests.py" "$work/packages/kubernetes" "$work/secret.yaml" "$work/pod"
chown -R 0:65532 "$work/pod/secrets"
chmod 440 "$work"/pod/secrets/*
volume
mount --bind "$work/pod/etc" "$root/etc/switchboard"
mount -t tmpfs tmpfs "$root/run"
mkdir -p "$root/run/secrets/switchboard"
mount --bind "$work/pod/secrets" "$root/run/secrets/switchboard"
variables=()
mapfile -t arguments <"$work/pod/args"
run_container "${arguments[@]}"
check "the gateway starts with the settings and secrets of the manifests" listens
for probe in /livez /readyz; do check "probe $probe" inside curl -sS --fail "http://127.0.0.1:8080$probe"; done
data=$work/pod/secrets
check "the admin token is that of the secret" make_brand
check "it stops" stop_gateway
umount "$root/run/secrets/switchboard" "$root/etc/switchboard"

# ---- Compose ---------------------------------------------------------------------------------------------------------------------

say "compose"
for command in "mkdir -m 700 compose/secrets" "openssl rand -base64 32 > compose/secrets/master-key" \
    "openssl rand -hex 32 > compose/secrets/admin-token" "openssl rand -hex 16 > compose/secrets/grafana-password" \
    "chmod 400 compose/secrets/admin-token compose/secrets/master-key compose/secrets/grafana-password" \
    "chown 65532 compose/secrets/admin-token compose/secrets/master-key" "chown 472 compose/secrets/grafana-password"; do
    from_page "secrets" "$command" here
done
composed() { here "${1%% up *} config"; }
from_page "docker-compose config accepts the file" "docker-compose --file compose/docker-compose.yml up --detach" composed
check "promtool accepts the settings of Prometheus" promtool check config --syntax-only "$work/packages/compose/prometheus.yml"
check "promtool accepts the alerts" promtool check rules "$work/packages/compose/alerts.yml"
cat >"$work/metrics.py" <<'PYTHON'
import json, pathlib, re, sys
page, folder = map(pathlib.Path, sys.argv[1:])
known = set(re.findall(r"^\| `([a-z_]+)` \|", page.read_text(), re.M))
text = (folder / "alerts.yml").read_text()
dashboard = json.loads((folder / "grafana/dashboards/switchboard.json").read_text())
text += "\n".join(t["expr"] for panel in dashboard["panels"] for t in panel["targets"])
used = {re.sub("_bucket$", "", name) for name in re.findall(r"\b(?:switchboard|process)_[a-z_]+", text)}
assert len(used) > 10 and used <= known, used - known
PYTHON
check "alerts and dashboard use metrics that exist" python3 "$work/metrics.py" "${page%/*}/Operating.md" "$work/packages/compose"
mapfile -t variables < <(here "docker-compose --file compose/docker-compose.yml config" | python3 -c 'import sys, yaml
service = yaml.safe_load(sys.stdin)["services"]["switchboard"]
assert service["read_only"] and service["cap_drop"] == ["ALL"]
print("\n".join(f"{k}={v}" for k, v in service["environment"].items()))')
volume
mount --bind "$work/packages/compose/secrets" "$root/run/secrets"
# Docker mounts each file, so that the directory's mode does not count.
chmod 711 "$work/packages/compose/secrets"
start_container
check "the gateway starts with the variables and secrets of the file" listens
data=$work/packages/compose/secrets
check "the admin token is that of the file" make_brand
check "it stops" stop_gateway
umount "$root/run/secrets" "$root/run" "$root/dev" "$root/proc" "$root/var/lib/switchboard" "$root"
images umount --all >/dev/null

# ---- systemd ---------------------------------------------------------------------------------------------------------------------

say "the service under systemd (systemd-nspawn, without network)"
clean_root host
root=$work/host
prepare in_root "$root" "apt-get install systemd systemd-sysv systemd-timesyncd dbus curl man-db"
prepare in_root "$root" "apt-get install ./$deb"
umount "$root/proc"
# Seconds instead of half a minute, for the test of the watchdog.
mkdir -p "$root/etc/systemd/system/switchboard.service.d"
printf '[Service]\nWatchdogSec=3\n' >"$root/etc/systemd/system/switchboard.service.d/test.conf"
setsid systemd-nspawn --quiet --directory "$root" --boot --private-network --register=no --keep-unit --console=passive \
    >"$work/nspawn" 2>&1 </dev/null &
host=$!
on_host() {
    local leader
    leader=$(pgrep -P "$host" | head -n 1)
    timeout 60 nsenter --target "$leader" --all env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
        PAGER=cat MANPAGER=cat sh -c "cd /root; ${1/apt-get/apt-get -q -y --no-install-recommends}"
}
curl_host() { on_host "curl -sS --fail-with-body -m 10 -H \"Authorization: Bearer \$(cat /var/lib/switchboard/admin-token)\" -H 'Content-Type: application/json' $1"; }
is_active() { on_host "systemctl is-active switchboard && curl -sS --fail http://127.0.0.1:8080/readyz" || { on_host "systemctl status switchboard"; return 1; }; }
check "systemd has booted" within 60 on_host "systemctl is-system-running | grep -E 'running|degraded|starting'"
known=${#failures[@]}
check "the service is started at the boot, with all of its hardening, and ready" within 30 is_active
# The page for the night, in its order. A grep that finds nothing is no error.
night() { on_host "export SWITCHBOARD_SERVER_ADMIN_TOKEN_FILE=/var/lib/switchboard/admin-token SWITCHBOARD_PROVIDER_TRUST_ROOTS=/etc/switchboard/ca.pem; $1"; }
look() { night "$1 || [ \$? -eq 1 ]"; }
key_is_back() { from_page "master key" "install -m 600 -o switchboard -g switchboard /root/switchboard-master-key /var/lib/switchboard/master-key" night; }
night_check() { from_page "checked" "runuser -u switchboard -- switchboard check --config /etc/switchboard/switchboard.yaml" night; }
night_stop() { from_page "stopped" "systemctl stop switchboard" night; }
night_start() {
    from_page "starts are counted again" "systemctl reset-failed switchboard" night
    from_page "started" "systemctl start switchboard" night
    check "it is ready" within 20 is_active
}
# Starts with data of a version that does not exist yet.
starts_newer() {
    python3 -c 'import sqlite3, sys
data = sqlite3.connect(sys.argv[1])
data.execute("INSERT INTO grdb_migrations VALUES (?)", ("9999-future",))
data.commit()
data.close()' "$root/var/lib/switchboard/switchboard.sqlite"
    on_host "systemctl start switchboard"
}
at_night() {
    local backup=/var/lib/switchboard-backups/switchboard-20260102T030405Z.sqlite delivery
    say "when it all goes wrong"
    exported() { on_host "$1; switchboard brand list" | grep acme; }
    from_page "token" "export SWITCHBOARD_SERVER_ADMIN_TOKEN_FILE=/var/lib/switchboard/admin-token" exported
    from_page "log" "journalctl --unit switchboard --since -1h | grep -E '\"level\":\"(warning|error|critical)\"'" look
    from_page "readiness" "curl -sS http://127.0.0.1:8080/readyz" night
    from_page "space" "df -h /var/lib/switchboard" night

    check "a backup, and the brand as a file" night "runuser -u switchboard -- switchboard backup $backup --config /etc/switchboard/switchboard.yaml && switchboard export brand acme | tee brand.yaml"
    check "a brand is created after it" curl_host "http://127.0.0.1:8080/v1/brands -d '{\"id\":\"later\",\"name\":\"Later\"}'"
    from_page "backup verified" "switchboard verify $backup" night
    night_stop
    key_is_back
    from_page "restored" "runuser -u switchboard -- switchboard restore $backup --config /etc/switchboard/switchboard.yaml --force" night
    night_check
    night_start
    from_page "brands" "switchboard brand list" night
    check "they are those of the backup" bash -c "grep -q acme '$work/previous' && ! grep -q later '$work/previous'"
    check "the data before is kept" night "ls /var/lib/switchboard/switchboard.sqlite.before-restore-*"

    from_page "what is large" "du -h --max-depth 1 /var/lib" night
    from_page "what is large" "ls -lS /var/lib/switchboard /var/lib/switchboard-backups" night

    night "systemctl stop switchboard && cd /var/lib/switchboard && mv master-key master-key.before-rotation-20260102T030405Z" || true
    from_page "keys" "ls -l /var/lib/switchboard" night
    check "without its key the data is not opened" fails night "runuser -u switchboard -- switchboard check --config /etc/switchboard/switchboard.yaml"
    check "and the key that fits is named" grep 'master-key.before-rotation-20260102T030405Z' "$work/previous"
    key_is_back
    night_start
    night_stop
    from_page "all is lost: data aside" "mv /var/lib/switchboard /var/lib/switchboard.without-key" night
    from_page "new data" "install -d -m 700 -o switchboard -g switchboard /var/lib/switchboard" night
    night_start
    from_page "new master key" "install -m 600 /var/lib/switchboard/master-key /root/switchboard-master-key" night
    # The file's path is that of the export, and the key is the provider's.
    check "without the provider's key there is no app" fails night "switchboard apply -f brand.yaml"
    check "the key of the app as a file" night "mkdir -p -m 700 secrets && (umask 077; sed -nE 's/.*\"private_key\": *\"([^\"]*)\".*/\1/p' simulator/service-account.json | xargs -0 printf %b >secrets/android-fcm-serviceAccount-private_key)"
    from_page "brand from its file" "switchboard apply -f brand.yaml" night
    check "a second one changes nothing" night "switchboard apply -f brand.yaml --plan"
    night_stop
    from_page "rotated" "runuser -u switchboard -- switchboard master-key rotate --config /etc/switchboard/switchboard.yaml" night
    night_start

    from_page "clock" "switchboard clock show" night
    from_page "clock" "timedatectl" night
    from_page "clock set" "timedatectl set-ntp true" night
    from_page "restarted" "systemctl restart switchboard" night
    check "it is ready" within 20 is_active
    from_page "clock accepted" "switchboard clock accept" night

    rule() { on_host "curl -sS --fail -X PUT http://127.0.0.1:2199/rules -d '$1'"; }
    check "FCM rejects pushes" rule '[{"match":{"provider":"fcm"},"do":{"status":400,"reason":"INVALID_ARGUMENT"}}]'
    check "an event is accepted" night "switchboard device register acme android phone-1 --consumer u-1 --token 0123456789abcdef0123456789abcdef --type fcm && switchboard send acme u-1 hello"
    failed() { night "switchboard deliveries acme --state failed --json" | grep -oE '"id": ?"?[0-9]+'; }
    check "its push fails" within 20 failed
    delivery=$(failed | tr -dc '0-9\n' | head -n 1) || true
    from_page "lanes" "switchboard lane list acme" night
    from_page "log" "journalctl --unit switchboard --since -1h | grep -E '\"level\":\"(error|critical)\"'" look
    from_page "statistics" "switchboard stats acme --window 1h" night
    from_page "failed deliveries" "switchboard deliveries acme --state failed" night
    check "an app with the simulated APNs, and a device's token" night "cp simulator/apns-key.p8 key.p8 && printf %064d 1 >token && chmod 600 key.p8 token && switchboard app put acme ios --team-id SIMTEAM001 --key-id SIMKEY0001 --private-key-file key.p8 --topic com.example.bank --endpoint https://localhost:2197"
    from_page "app" "switchboard app show acme ios" night
    from_page "self-check" "switchboard app self-check acme ios --token-file token --type apns --environment production" night
    check "APNs has accepted it" grep -i accepted "$work/previous"
    from_page "app corrected" "switchboard app put acme ios --team-id TEAM123456 --key-id KEY1234567 --private-key-file key.p8 --topic com.example.app" night
    check "FCM accepts pushes" rule '[]'
    # It ends by the time limit only.
    followed() { night "timeout 3 $1; [ \$? -eq 124 ]"; }
    from_page "followed" "switchboard deliveries acme --follow" followed
    from_page "dry run" "switchboard deliveries replay acme --since 2026-01-02T00:00:00Z --dry-run" night
    check "one would be sent again" grep -E '^ *1 +would be sent ' "$work/previous"
    from_page "sent again" "switchboard deliveries replay acme --since 2026-01-02T00:00:00Z" night
    check "its push is sent" within 20 night "switchboard deliveries acme --id ${delivery:-none} | grep -E '\"state\": ?\"accepted\"'"
    check "FCM rejects pushes again" rule '[{"match":{"provider":"fcm"},"do":{"status":400,"reason":"INVALID_ARGUMENT"}}]'
    check "another event is accepted" night "switchboard send acme u-1 hello"
    check "its push fails too" within 20 failed
    delivery=$(failed | tr -dc '0-9\n' | head -n 1) || true
    check "FCM accepts pushes again" rule '[]'
    retried() { night "${1/4711/${delivery:-none}}"; }
    from_page "retried" "switchboard deliveries retry acme 4711" retried
    check "its push is sent" within 20 night "switchboard deliveries acme --id ${delivery:-none} | grep -E '\"state\": ?\"accepted\"'"

    night_stop
    from_page "backup" "systemctl start switchboard-backup.service" night
    from_page "earlier version" "apt-get install --allow-downgrades ./$deb" night
    check "the earlier version is installed" on_host "dpkg-query -W -f '\${Version}' switchboard | grep -qx '$version-1'"
    check "it is ready" within 20 is_active
    from_page "status" "systemctl status switchboard" night
    check "its brands are there" night "switchboard brand list | grep acme"
    check "a copy as an upgrade makes it" night "runuser -u switchboard -- switchboard backup /var/lib/switchboard/switchboard.sqlite.at-0016-chain-messages --config /etc/switchboard/switchboard.yaml && systemctl stop switchboard"
    check "data of a later version that is not additive is not opened" fails starts_newer
    check "with exit code 5" on_host "systemctl show -p ExecMainStatus switchboard | grep -x ExecMainStatus=5"
    from_page "the way back" "runuser -u switchboard -- switchboard restore /var/lib/switchboard/switchboard.sqlite.at-0016-chain-messages --config /etc/switchboard/switchboard.yaml --force" night
    night_start
    check "its brands are there" night "switchboard brand list | grep acme"
}
under_systemd() {
    check "systemd-analyze verify has nothing to say" on_host "systemd-analyze verify /usr/lib/systemd/system/switchboard.service 2>&1 | tee /dev/stderr | wc -l | grep -qx 0"
    from_page "status" "systemctl status switchboard" on_host
    from_page "log" "journalctl --unit switchboard" on_host
    check "the log has its lines" on_host "journalctl --unit switchboard | grep -q '\"started\"'"
    from_page "master key" "install -m 600 /var/lib/switchboard/master-key /root/switchboard-master-key" on_host
    check "a brand is created" curl_host "http://127.0.0.1:8080/v1/brands -d '{\"id\":\"acme\",\"name\":\"Acme\"}'"
    from_page "brands" "switchboard brand list --admin-token-file /var/lib/switchboard/admin-token" on_host
    from_page "manual" "man switchboard" on_host
    metrics() { curl_host http://127.0.0.1:8080/metrics | tee "$work/metrics" | grep -cE '^process_(resident_memory_bytes|open_fds|max_fds|start_time_seconds) [1-9]' | grep -qx 4 || { grep '^process' "$work/metrics"; return 1; }; }
    check "metrics of the process are there" metrics
    # Or as many as this host allows its containers.
    may_open_descriptors() {
        local host_limit
        host_limit=$(ulimit -Hn)
        grep '^process_max_fds' "$work/metrics"
        grep -qx "process_max_fds $((host_limit < 65536 ? host_limit : 65536))" "$work/metrics"
    }
    check "it may open 65536 descriptors, or what this host allows" may_open_descriptors
    check "no line of the log is an error" fails on_host "journalctl --unit switchboard | grep -E '\"level\":\"(error|critical)\"'"
    check "it is still running after twice the watchdog's timeout" bash -c "sleep 7"
    check "without a restart" on_host "systemctl show -p NRestarts switchboard | grep -x NRestarts=0"
    on_host "sed -i 's/^  level: info/  level: debug/' /etc/switchboard/switchboard.yaml" || true
    from_page "reloaded" "systemctl reload switchboard" on_host
    check "the settings are read again" within 5 on_host "journalctl --unit switchboard | grep 'settings reloaded'"
    from_page "restarted" "systemctl restart switchboard" on_host
    check "it is ready again" within 10 is_active
    from_page "backup" "runuser -u switchboard -- switchboard backup /var/lib/switchboard/monday.sqlite --config /etc/switchboard/switchboard.yaml" on_host
    check "systemd-analyze verify has nothing to say of the backup's units" on_host "systemd-analyze verify /usr/lib/systemd/system/switchboard-backup.service /usr/lib/systemd/system/switchboard-backup.timer 2>&1 | tee /dev/stderr | wc -l | grep -qx 0"
    check "the backup's timer is off at first" fails on_host "systemctl is-enabled switchboard-backup.timer"
    from_page "timer enabled" "systemctl enable --now switchboard-backup.timer" on_host
    from_page "backup by the unit" "systemctl start switchboard-backup.service" on_host
    from_page "backup verified" "switchboard verify /var/lib/switchboard-backups" on_host
    check "it has the brand" grep -Eq '^brands +1$' "$work/previous"
    check "it is its user's alone" on_host "stat -c '%U %a' /var/lib/switchboard-backups /var/lib/switchboard-backups/*.sqlite | tr '\n' ' ' | grep -x 'switchboard 700 switchboard 600 '"
    check "nine more backups leave seven" on_host "for i in 1 2 3 4 5 6 7 8 9; do systemctl reset-failed; systemctl start switchboard-backup.service || exit 1; done; ls /var/lib/switchboard-backups/*.sqlite | wc -l | grep -x 7"
    from_page "timer listed" "systemctl list-timers switchboard-backup.timer" on_host
    check "the timer has a next time" grep -q 'switchboard-backup.service' "$work/previous"
    from_page "stopped" "systemctl stop switchboard" on_host
    check "it has ended without an error" on_host "systemctl show -p Result switchboard | grep -x Result=success"
    from_page "checked" "runuser -u switchboard -- switchboard check --config /etc/switchboard/switchboard.yaml" on_host
    from_page "started" "systemctl start switchboard" on_host
    check "it is ready again" within 10 is_active
    on_host "[ -e /etc/hosts ] || echo '127.0.0.1 localhost' >/etc/hosts
        tar -xzf $tarball.tar.gz
        setsid $tarball/bin/push-simulator --certificates simulator >simulator.out 2>&1 </dev/null &" || true
    check "push-simulator runs beside it" within 10 on_host "grep -x ready simulator.out"
    trust_simulator() {
        on_host "install -m 644 simulator/ca.pem /etc/switchboard/
            printf '[Service]\nEnvironment=SWITCHBOARD_PROVIDER_TRUST_ROOTS=/etc/switchboard/ca.pem\n' >/etc/systemd/system/switchboard.service.d/trust.conf
            systemctl daemon-reload && systemctl restart switchboard"
    }
    check "settings from a file beside the unit" trust_simulator
    send_push() {
        on_host "export SWITCHBOARD_SERVER_ADMIN_TOKEN_FILE=/var/lib/switchboard/admin-token
            switchboard app put acme android --service-account simulator/service-account.json --endpoint https://localhost:2198 &&
            switchboard device register acme android phone-1 --consumer u-1 --token 0123456789abcdef0123456789abcdef --type fcm &&
            switchboard send acme u-1 hello"
    }
    check "an event for a device of the simulator is accepted" send_push
    check "its push leaves the hardened unit, over a name and TLS" within 20 on_host "curl -sS http://127.0.0.1:2199/pushes | tee /dev/stderr | grep -q '\"result\":\"accepted\"'"
    on_host "kill -STOP \$(systemctl show -p MainPID --value switchboard)" || true
    check "a gateway that hangs is restarted by the watchdog" within 90 on_host "systemctl show -p NRestarts switchboard | grep -x NRestarts=1"
    check "it is ready again" within 20 is_active
    check "upgraded" on_host "apt-get install ./switchboard_$version-2_$architecture.deb"
    check "the new version runs, and is ready" within 10 is_active
    check "it was restarted by the upgrade" on_host "journalctl --unit switchboard | grep -c Started | grep -qvx 1"
    check "the brand is there" on_host "switchboard brand list --admin-token-file /var/lib/switchboard/admin-token | grep acme"
    on_host "systemctl stop switchboard; mv /var/lib/switchboard/master-key /root/away" || true
    check "without its master key the start fails" fails on_host "systemctl start switchboard"
    check "with exit code 4" on_host "systemctl show -p ExecMainStatus switchboard | grep -x ExecMainStatus=4"
    check "and is not repeated" on_host "sleep 5; systemctl show -p NRestarts,ActiveState switchboard | tr '\n' ' ' | tee /dev/stderr | grep -x 'NRestarts=0 ActiveState=failed '"
    on_host "mv /root/away /var/lib/switchboard/master-key" || true
    check "with the key it starts" on_host "systemctl start switchboard"
    at_night
    check "removed: the service is stopped" on_host "apt-get remove switchboard && ! systemctl is-active switchboard"
    check "and the timer" fails on_host "systemctl is-active switchboard-backup.timer"
    check "purged: data and user are gone" on_host "apt-get purge switchboard && ! test -e /var/lib/switchboard && ! getent passwd switchboard"
    check "backups stay" on_host "ls /var/lib/switchboard-backups/*.sqlite"
}
if [ ${#failures[@]} -eq "$known" ]; then
    under_systemd
else
    # Each of the commands would wait for a service that is not going to be ready.
    check "everything else that needs the service" false
fi
on_host "systemctl poweroff" || true
check "systemd has stopped" within 60 fails kill -0 "$host"
host=""

# ---- The pages -------------------------------------------------------------------------------------------------------------------

say "the pages"
# shellcheck disable=SC2016 # a fence of Markdown
mapfile -t commands < <(sed -n '/^ *```console$/,/^ *```$/p' "$page" "$pages/WhenItAllGoesWrong.md" | grep -v '^ *```' | sed 's/^ *//')
untested() { printf '%s\n' "${commands[@]}" | sort -u | grep -vxFf <(printf '%s\n' "${tested[@]}"); }
check "each of their ${#commands[@]} commands was followed by a test" fails untested
unknown() { printf '%s\n' "${tested[@]}" | sort -u | grep -vxFf <(printf '%s\n' "${commands[@]}"); }
check "and no other command was tested in its name" fails unknown

# ---- Sizing ----------------------------------------------------------------------------------------------------------------------

say "the figures of the Sizing page"
check "Deploy/sizing.sh measures them" env SWITCHBOARD_BINARIES="${binaries[1]:-.build/release}" Deploy/sizing.sh
cat "$work/output"

finished=true
say "not run: Docker, a cluster of Kubernetes, and systemd on a host of its own; the image was built by buildah and run in a chroot,
    the manifests were read by kubernetes-validate, the compose file by docker-compose config, and systemd ran in systemd-nspawn"
say "figures"
printf '  %s\n' "${figures[@]}"
say "$passed passed, ${#failures[@]} failed"
[ ${#failures[@]} -eq 0 ] || { printf '  %s\n' "${failures[@]}"; exit 1; }
