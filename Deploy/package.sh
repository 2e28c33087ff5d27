#!/usr/bin/env bash
# Makes the packages from one release build: a tarball, a Debian package, the root file system and Dockerfile of a container,
# manifests for Kubernetes, a compose file, and bills of materials. The Installing page says how to use them.
#
#   --binaries DIR   takes the programs of this directory instead of building them
#   --output DIR     writes there instead of to .build/packages; what is there already is removed
#   --revision N     the revision of the Debian package, 1 by default
#
# The same programs and the same commit make the same files (SOURCE_DATE_EPOCH: the time of the commit, or what is set).
# Needs Debian; the build needs the Swift toolchain. Installs the packages that are missing (with sudo when not run by root).
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

binaries=""
output=.build/packages
revision=1
while [ $# -gt 0 ]; do
    case "$1" in
        --binaries) binaries=${2:?} ;;
        --output) output=${2:?} ;;
        --revision) revision=${2:?} ;;
        *) fail "usage: Deploy/package.sh [--binaries DIR] [--output DIR] [--revision N]" ;;
    esac
    shift 2
done

require_swift
require_packages binutils busybox-static ca-certificates dpkg-dev git python3
command -v dpkg-shlibdeps >/dev/null 2>&1 || fail "packages are made on Debian: dpkg-shlibdeps was not found"
if [ -z "$binaries" ]; then
    require_packages "${build_packages[@]}"
    build_release switchboard push-simulator
    binaries=$(swift build -c release --show-bin-path)
fi

version=$("$binaries/switchboard" --version)
swift_version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1)
architecture=$(dpkg --print-architecture)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} LC_ALL=C TZ=UTC
umask 022

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
rm -rf "$output"
mkdir -p "$output"

# A tarball whose bytes depend on nothing but the files.
pack() {
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu "$@"
}

say "programs without symbols for debuggers, manual pages, completions, bill of materials"
files=$stage/files
mkdir -p "$files/bin" "$files/man" "$files/bash" "$files/zsh" "$files/fish"
for program in switchboard push-simulator; do
    strip -o "$files/bin/$program" "$binaries/$program"
    chmod 755 "$files/bin/$program"
    python3 Deploy/package/manual.py "$files/bin/$program" "$files/man" "$version"
    "$files/bin/$program" --generate-completion-script bash >"$files/bash/$program"
    "$files/bin/$program" --generate-completion-script zsh >"$files/zsh/_$program"
    "$files/bin/$program" --generate-completion-script fish >"$files/fish/$program.fish"
done
gzip -9n "$files"/man/*.1
# The settings with every default, but for where the data is.
sed 's|^  dataDir: \./data$|  dataDir: /var/lib/switchboard|' Config/switchboard.yaml >"$files/switchboard.yaml"
grep -q '^  dataDir: /var/lib/switchboard$' "$files/switchboard.yaml" || fail "Config/switchboard.yaml has no dataDir of ./data"
materials() {
    python3 Deploy/package/sbom.py --version "$version" --swift "$swift_version" --architecture "$architecture" "$@"
}

# Puts what is the same in the tarball and in the Debian package below a directory: $1 is it, the rest are programs.
put_shared() {
    local root=$1 program
    shift
    mkdir -p "$root/bin" "$root"/share/{man/man1,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
    for program in "$@"; do
        cp "$files/bin/$program" "$root/bin/"
        cp "$files/man/$program".1.gz "$root/share/man/man1/"
        cp "$files/bash/$program" "$root/share/bash-completion/completions/"
        cp "$files/zsh/_$program" "$root/share/zsh/vendor-completions/"
        cp "$files/fish/$program.fish" "$root/share/fish/vendor_completions.d/"
    done
    cp "$files"/man/switchboard-*.1.gz "$root/share/man/man1/"
}

say "tarball"
name=switchboard-$version-linux-$architecture
put_shared "$stage/$name" switchboard push-simulator
mkdir -p "$stage/$name/etc"
cp Config/switchboard.yaml "$stage/$name/etc/"
cp Deploy/package/copyright "$stage/$name/"
materials "$binaries/switchboard" "$binaries/push-simulator" >"$stage/$name/sbom.cdx.json"
pack -C "$stage" -c "$name" | gzip -6n >"$output/$name.tar.gz"
cp "$stage/$name/sbom.cdx.json" "$output/$name.cdx.json"

say "Debian package"
debian=$stage/debian
put_shared "$debian/usr" switchboard
mkdir -p "$debian/DEBIAN" "$debian/etc/switchboard" "$debian/usr/lib/systemd/system" "$debian/usr/share/doc/switchboard"
cp "$files/switchboard.yaml" "$debian/etc/switchboard/"
cp Deploy/package/switchboard.service Deploy/package/switchboard-backup.{service,timer} "$debian/usr/lib/systemd/system/"
cp Deploy/package/copyright "$debian/usr/share/doc/switchboard/"
materials "$binaries/switchboard" >"$debian/usr/share/doc/switchboard/sbom.cdx.json"
printf 'switchboard (%s-%s) stable; urgency=medium\n\n  * See the page "Changes and migrations".\n\n -- %s  %s\n' \
    "$version" "$revision" "$(sed -n 's/^Maintainer: //p' Deploy/package/debian/control)" \
    "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$debian/usr/share/doc/switchboard/changelog.Debian.gz"
# dpkg-shlibdeps reads a source package's control file, which this package does not have.
mkdir -p "$stage/source/debian"
printf 'Source: switchboard\n\nPackage: switchboard\nArchitecture: any\n' >"$stage/source/debian/control"
depends=$(cd "$stage/source" && dpkg-shlibdeps -O -e"$debian/usr/bin/switchboard" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || fail "dpkg-shlibdeps found no libraries"
(cd "$debian" && find etc usr -type f -print0 | sort -z | xargs -0 md5sum) >"$debian/DEBIAN/md5sums"
sed -e "s/@VERSION@/$version-$revision/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@DEPENDS@/$depends/" \
    -e "s/@INSTALLED_SIZE@/$(du -k -s --apparent-size --exclude=DEBIAN "$debian" | cut -f 1)/" \
    Deploy/package/debian/control >"$debian/DEBIAN/control"
cp Deploy/package/debian/conffiles "$debian/DEBIAN/"
for script in postinst prerm postrm; do install -m 755 "Deploy/package/debian/$script" "$debian/DEBIAN/"; done
dpkg-deb --root-owner-group --threads-max=1 -Zzstd -z3 --build "$debian" "$output/switchboard_$version-${revision}_$architecture.deb" >/dev/null

# The Debian package that a library is from, which may have recorded its path without /usr.
package_of() {
    local path
    path=$(readlink -f "$1")
    { dpkg-query -S "$path" 2>/dev/null || dpkg-query -S "${path#/usr}" 2>/dev/null || fail "no package has $1"; } |
        sed -n '1s/:.*//p'
}

say "root file system of the container"
root=$stage/root
mkdir -p "$root"/{usr/bin,usr/lib/ssl,etc/ssl/certs,etc/switchboard,dev,proc,run,tmp,var/lib} "$root/usr/share/doc/switchboard"
chmod 1777 "$root/tmp"
cp "$files/bin/switchboard" "$root/usr/bin/"
# The health check: the one applet of busybox that is reached by this name.
cp /bin/busybox "$root/usr/bin/wget"
# The loader and the libraries, at the paths where the loader looks for them; and what Debian packages they are from.
shipped=(busybox-static ca-certificates)
while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
    shipped+=("$(package_of "$library")")
done < <(ldd "$files/bin/switchboard" | grep -oE '/[^ ]+' | sort)
cat /usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
ln -s /etc/ssl/certs/ca-certificates.crt "$root/usr/lib/ssl/cert.pem"
printf 'root:x:0:0:root:/:/sbin/nologin\nswitchboard:x:65532:65532::/var/lib/switchboard:/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nswitchboard:x:65532:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
cp Deploy/package/copyright "$root/usr/share/doc/switchboard/"
named=()
for package in $(printf '%s\n' "${shipped[@]}" | sort -u); do
    # shellcheck disable=SC2016 # a format of dpkg
    named+=(--debian "$package" "$(dpkg-query -W -f '${Version}' "$package")")
    mkdir -p "$root/usr/share/doc/$package"
    cp "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/"
done
materials "${named[@]}" -- "$binaries/switchboard" >"$root/usr/share/doc/switchboard/sbom.cdx.json"
mkdir "$output/container"
cp Deploy/package/container/Dockerfile "$output/container/"
pack -C "$root" -c . >"$output/container/rootfs.tar"
# The data directory belongs to the gateway's user, so that a new volume does too.
mkdir -p "$stage/data/var/lib/switchboard"
chmod 700 "$stage/data/var/lib/switchboard"
tar --mtime="@$SOURCE_DATE_EPOCH" --owner=65532 --group=65532 --numeric-owner --format=gnu -C "$stage/data" \
    -rf "$output/container/rootfs.tar" ./var/lib/switchboard
cp "$root/usr/share/doc/switchboard/sbom.cdx.json" "$output/container/"

say "Kubernetes, compose"
for folder in kubernetes compose; do cp -r "Deploy/package/$folder" "$output/"; done
find "$output/kubernetes" "$output/compose" -type f -exec sed -i "s/@VERSION@/$version/" {} +

say "$output"
(cd "$output" && find . -type f -printf '%s %P\n' | sort -k 2 | awk '{printf "%12d  %s\n", $1, $2}')
