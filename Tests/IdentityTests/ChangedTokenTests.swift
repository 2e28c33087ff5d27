import GatewayModel
import Testing

@testable import Identity

// One kind after the other: all at once would slow other tests down.
@Suite("A token with any changed character is rejected", .serialized, .timeLimit(.minutes(10)))
struct ChangedTokenTests {
    /// A kind of token, plain or encrypted.
    struct Kind: CustomTestStringConvertible, Sendable {
        var signature: SignatureAlgorithm
        var encryption: (KeyEncryptionAlgorithm, String)?

        var testDescription: String {
            ([signature.rawValue] + (encryption.map { [$0.0.rawValue, $0.1] } ?? [])).joined(separator: " in ")
        }
    }

    static let kinds: [Kind] =
        SignatureAlgorithm.allCases.map { Kind(signature: $0) } + [
            Kind(signature: .es256, encryption: (.rsaOAEP256, "A256GCM")),
            Kind(signature: .es256, encryption: (.rsaOAEP, "A128CBC-HS256")),
            Kind(signature: .es256, encryption: (.ecdhES, "A256GCM")),
            Kind(signature: .es256, encryption: (.ecdhES, "A128CBC-HS256")),
        ]

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let foreign = Array("=+/. ".utf8)

    @Test("every position, with several other characters and with all that differ in unused bits", arguments: kinds)
    func changed(_ kind: Kind) async throws {
        try await Gateway.with { gateway in
            try await gateway.issuer(Issuer.details(kind.signature))
            var token = try Issuer.token(kind.signature)
            if let (algorithm, encryption) = kind.encryption {
                token = try await gateway.sealer(algorithm, encryption: encryption).sealer.token(token)
            }
            let good = Array(token.utf8)
            let verifier = gateway.verifier
            func isTaken(_ bytes: [UInt8]) async -> Bool {
                let token = String(decoding: bytes, as: UTF8.self)
                return (try? await verifier.verify(token, keyName: nil, brand: Gateway.acme)) != nil
            }
            #expect(await isTaken(good))
            var random = SystemRandomNumberGenerator()
            var taken: [String] = []
            for index in good.indices {
                var others: [UInt8]
                let isLast = index + 1 == good.count || good[index + 1] == UInt8(ascii: ".")
                if isLast {
                    others = Self.alphabet + Self.foreign
                } else {
                    // The neighbour in the alphabet differs in one bit, the others in any.
                    let place = Self.alphabet.firstIndex(of: good[index]).map { Self.alphabet[$0 ^ 1] }
                    others = [place ?? UInt8(ascii: "A")]
                    others += [Self.alphabet.randomElement(using: &random) ?? 0]
                    others += [Self.foreign[index % Self.foreign.count]]
                }
                for other in others where other != good[index] {
                    var changed = good
                    changed[index] = other
                    if await isTaken(changed) { taken.append("\(index): \(other)") }
                }
                var changed = good
                changed.remove(at: index)
                if await isTaken(changed) { taken.append("\(index) removed") }
                changed = good
                changed.insert(Self.alphabet[index % 64], at: index)
                if await isTaken(changed) { taken.append("\(index) inserted") }
            }
            #expect(taken == [])
        }
    }
}
