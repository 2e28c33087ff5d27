#!/usr/bin/env bash
# Compiles what is only for Apple's platforms on Linux, without linking it: those parts of the device library and the sample app in
# Deploy/examples/ios, against the small modules of the same names in Deploy/examples/ios/Stubs. Takes about ten seconds.
# The argument is the folder with the modules of a build of the device library; the default is that of this package.
#
# A stub has the declarations that are used, as Apple documents them: this finds errors of types and of data races, but no
# use of a declaration that the stub has and Apple's module has not. It lists the files with what only these platforms run.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

# The most lines of code, without comments, that only Apple's platforms run.
max_lines=600
modules=${1:-$(swift build --show-bin-path)/Modules}
[ -f "$modules/Logging.swiftmodule" ] || fail "$modules has no module Logging: build first"
sample=Deploy/examples/ios
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

features=()
for feature in ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault; do
    features+=(-enable-upcoming-feature "$feature")
done
# A function of Apple's that a completion handler makes async runs where it is called, which the feature does here.
stub() {
    swiftc -swift-version 5 -enable-upcoming-feature NonisolatedNonsendingByDefault -parse-as-library -I "$folder" \
        -emit-module -module-name "$1" -emit-module-path "$folder/$1.swiftmodule" "$sample/Stubs/$1.swift"
}

# Compiles as far as the checks of data races go; the stubs come before the modules of the build. Foundation of Apple's
# platforms has URLSession, which is in a module of its own here.
compile() {
    swiftc -swift-version 6 -parse-as-library -wmo -warnings-as-errors -I "$folder" -I "$modules" \
        -Xfrontend -import-module -Xfrontend FoundationNetworking -Xfrontend -import-module -Xfrontend Darwin \
        -emit-sil -o "$folder/output.sil" -module-name "$@"
}

for name in Darwin CryptoKit Security UserNotifications UIKit SwiftUI; do stub "$name"; done

mapfile -t library < <(find Sources/SwitchboardClient -name '*.swift')
compile SwitchboardClient "${features[@]}" -emit-module -emit-module-path "$folder/SwitchboardClient.swiftmodule" "${library[@]}"
compile Sample "$sample"/Shared/*.swift "$sample"/App/*.swift
compile NotificationService "$sample"/Shared/*.swift "$sample"/NotificationService/*.swift

mapfile -t apple < <(grep -rlE '^#if canImport\((Darwin|Security|UserNotifications)\)' Sources/SwitchboardClient | sort)
apple+=("$sample"/{App,NotificationService,Shared}/*.swift)
for file in "${apple[@]}"; do printf '%4d %s\n' "$(grep -cvE '^ *(//|$)' "$file")" "$file"; done
lines=$(cat "${apple[@]}" | grep -cvE '^ *(//|$)')
[ "$lines" -le "$max_lines" ] || fail "$lines lines of code run on Apple's platforms only; the limit is $max_lines"
say "compiled for Apple's platforms; $lines lines of code run there only"
