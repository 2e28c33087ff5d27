#!/usr/bin/env bash
# Runs successful and failed operations of the target Cryptography under valgrind: Deploy/crypto-leaks.sh [ROUNDS]
#
# Fails when memory of OpenSSL is lost, or read before it is written. 1000 rounds, the default, take minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/Sources/leaks"
for target in COpenSSL Cryptography TextFormats; do ln -s "$root/Sources/$target" "$work/Sources/$target"; done
cp "$root/Tests/CryptographyTests/Support/TestKeys.swift" "$work/Sources/leaks/"
cat >"$work/Package.swift" <<'END'
// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let package = Package(
    name: "switchboard",
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
        .target(name: "TextFormats", swiftSettings: settings),
        .target(name: "Cryptography", dependencies: ["COpenSSL", "TextFormats"], swiftSettings: settings),
        .executableTarget(name: "leaks", dependencies: ["Cryptography"], swiftSettings: settings),
    ]
)
END
cat >"$work/Sources/leaks/main.swift" <<'END'
import Cryptography

let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1
let data = [UInt8](repeating: 7, count: 100)
let rsa = try _RSA.Signing.PrivateKey(pemRepresentation: TestKeys.rsa)
let ec = try P256.Signing.PrivateKey(pemRepresentation: TestKeys.sec1)
let peer = P256.KeyAgreement.PrivateKey()
let signed = try rsa.signature(for: data, padding: .PSS)
let secret = SymmetricKey(data: data.prefix(32))
let prepared = HMAC<SHA256>(key: secret)
var valid = 0

for round in 0..<rounds {
    let signature = try ec.signature(for: data)
    if ec.publicKey.isValidSignature(signature, for: data) { valid += 1 }
    if ec.publicKey.isValidSignature(signature, for: SHA384.hash(data: data)) { valid += 1 }
    if rsa.publicKey.isValidSignature(signed, for: data, padding: .PSS) { valid += 1 }
    if rsa.publicKey.isValidSignature(signed, for: data, padding: .insecurePKCS1v1_5) { valid += 1 }
    if (try? P256.Signing.ECDSASignature(derRepresentation: data)) != nil { valid += 1 }
    var hash = SHA512()
    hash.update(data: data)
    var copy = hash
    copy.update(data: data)
    if copy.finalize() == hash.finalize() { valid += 1 }
    if prepared.finalize(appending: [data]) != HMAC<SHA256>.authenticationCode(for: data, using: secret) { valid += 1 }
    let box = try AES.GCM.seal(data, using: secret)
    if try AES.GCM.open(box, using: secret) != data { valid += 1 }
    if (try? AES.GCM.open(box, using: secret, authenticating: data)) != nil { valid += 1 }
    if (try? AES._CBC.decrypt(data, using: secret, iv: AES._CBC.IV())) != nil { valid += 1 }
    guard round % 100 == 0 else { continue }
    let names = [
        TestKeys.pkcs8, TestKeys.explicit, TestKeys.compressed, TestKeys.rsaPublic, TestKeys.rsaWrongModulus,
        TestKeys.rsa1024, TestKeys.encrypted, TestKeys.p384, TestKeys.pssPublic, "",
    ]
    for name in names {
        _ = try? P256.Signing.PrivateKey(pemRepresentation: name)
        _ = try? P256.Signing.PublicKey(pemRepresentation: name)
        _ = try? _RSA.Signing.PrivateKey(pemRepresentation: name)
        _ = try? _RSA.Signing.PublicKey(pemRepresentation: name)
    }
    _ = try? P256.Signing.PublicKey(rawRepresentation: data.prefix(64))
    _ = try? _RSA.Signing.PublicKey(n: data, e: [2])
    _ = try peer.sharedSecretFromKeyAgreement(with: P256.KeyAgreement.PrivateKey().publicKey)
    let certificate = try Certificate.issue(
        subject: [("2.5.4.3", "name")],
        validity: 0...1,
        extensions: [CertificateExtension("subjectKeyIdentifier", "hash")],
        publicKey: ec.publicKey,
        issuer: nil,
        issuerKey: ec
    )
    if !certificate.isSigned(by: certificate) || certificate.subjectText("2.5.4.3") != "name" { valid += 1 }
    if (try? Certificate(der: data)) != nil || certificate.extensionValue("2.5.29.14")?.count != 22 { valid += 1 }
}
precondition(valid == 2 * rounds, "\(valid)")
END

swift build --package-path "$work" --quiet
# Reachable memory is what the library and the runtime keep for the whole process.
valgrind --quiet --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \
    --error-exitcode=1 "$work/.build/debug/leaks" "${1:-1000}"
echo "no leaks"
