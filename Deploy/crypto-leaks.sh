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
let rsa = try RSA.PrivateKey(pemRepresentation: TestKeys.rsa)
let handle = try KeyHandle(firstPrivateKeyOf: TestKeys.rsa)
let ec = try P256.PrivateKey(pemRepresentation: TestKeys.sec1)
let peer = P256.PrivateKey()
let signed = try rsa.signature(for: data, padding: .pss)
let secret = Array(data.prefix(32))
let nonce = Array(data.prefix(12))
let prepared = HMAC<SHA256>(key: secret)
var valid = 0

for round in 0..<rounds {
    let signature = try ec.signature(for: data)
    if ec.publicKey.isValidSignature(signature, for: data) { valid += 1 }
    if ec.publicKey.isValidSignature(signature, for: secret) { valid += 1 }
    if ec.publicKey.isValidSignature(secret + secret, for: data) { valid += 1 }
    if rsa.publicKey.isValidSignature(signed, for: data, padding: .pss) { valid += 1 }
    if rsa.publicKey.isValidSignature(signed, for: data, padding: .pkcs1) { valid += 1 }
    if handle.opened(signed, .sha1) != nil || handle.opened(data, .sha256) != nil { valid += 1 }
    if try ec.sharedSecret(with: peer.publicKey) != peer.sharedSecret(with: ec.publicKey) { valid += 1 }
    if HMAC<SHA512>(key: data).code(of: data) != HMAC<SHA512>.authenticationCode(for: data, using: data) { valid += 1 }
    if prepared.code(of: data) != HMAC<SHA256>.authenticationCode(for: data, using: secret) { valid += 1 }
    let box = try AES.GCM.seal(data, using: secret, nonce: nonce)
    if try AES.GCM.open(box.ciphertext, tag: box.tag, using: secret, nonce: nonce) != data { valid += 1 }
    if (try? AES.GCM.open(data, tag: box.tag, using: secret, nonce: nonce)) != nil { valid += 1 }
    if (try? AES.CBC.decrypt(data, using: secret, vector: Array(data.prefix(16)))) != nil { valid += 1 }
    guard round % 100 == 0 else { continue }
    let names = [
        TestKeys.pkcs8, TestKeys.explicit, TestKeys.compressed, TestKeys.rsaPublic, TestKeys.rsaWrongModulus,
        TestKeys.rsa1024, TestKeys.encrypted, TestKeys.p384, TestKeys.pssPublic, "",
    ]
    for name in names {
        _ = try? P256.PrivateKey(pemRepresentation: name)
        _ = try? P256.PublicKey(pemRepresentation: name)
        _ = try? RSA.PrivateKey(pemRepresentation: name)
        _ = try? RSA.PublicKey(pemRepresentation: name)
        _ = (try? KeyHandle(firstPrivateKeyOf: name))?.hasValidPublicNumbers
        _ = (try? KeyHandle(firstPublicKeyOf: name))?.isOnP256
    }
    _ = try? P256.PublicKey(rawRepresentation: Array(data.prefix(64)))
    _ = try? RSA.PublicKey(n: data, e: [2])
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
