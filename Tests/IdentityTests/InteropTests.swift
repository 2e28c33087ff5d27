import Foundation
import GatewayModel
import GatewayStorage
import ProcessHarness
import Testing
import TextFormats

@testable import Identity

@Suite("Tokens that joserfc made are accepted and rejected as they should be", .timeLimit(.minutes(10)))
struct InteropTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Interop/joserfc_tokens.py")
    private static let secret = "joserfc-secret-of-sixty-four-bytes-for-every-algorithm-in-the-li"
    private static let url = "https://keys.example/"

    @Test("of each kind, plain and encrypted, with fixed keys and with published keys")
    func joserfc() async throws {
        try await Gateway.with { gateway in
            var arguments = [Self.script.path(), "\(Gateway.start)"]
            for algorithm in KeyEncryptionAlgorithm.allCases {
                let (id, sealer) = try await gateway.sealer(algorithm)
                let file = gateway.folder.appending(path: "\(algorithm.rawValue).pem")
                try Data(sealer.publicPEM.utf8).write(to: file)
                arguments += [algorithm.rawValue, id, file.path()]
            }
            for algorithm in HMACAlgorithm.allCases {
                try await gateway.sdkKey(algorithm.rawValue, secret: Self.secret, algorithm: algorithm)
            }
            // Without joserfc this fails: Deploy/test.sh installs it.
            let python = try ChildProcess("/usr/bin/env", ["python3"] + arguments)
            let exit = try await python.ended()
            #expect(exit.status == 0, "\(python.errors.suffix(3))")
            let lines = python.output.map { $0.split(separator: "\t").map(String.init) }
            try #require(lines.last == ["done"])
            try await Self.issue(lines.filter { $0[0] == "key" }, gateway)
            let tokens = lines.filter { $0[0] == "token" }
            #expect(tokens.count > 100 && tokens.count { $0[2] == "taken" } > 40)
            for token in tokens {
                let found = await Self.response(to: token[3], gateway)
                #expect(found == token[2], "\(token[1])")
            }
        }
    }

    /// Creates issuers with joserfc's keys: each with its PEM, and each with a published JWK.
    private static func issue(_ keys: [[String]], _ gateway: Gateway) async throws {
        try #require(keys.count == SignatureAlgorithm.allCases.count)
        var published: [VerifyingKey] = []
        for key in keys {
            let algorithm = try #require(SignatureAlgorithm(rawValue: key[1]))
            let pem = String(decoding: try #require(Data(base64Encoded: key[2])), as: UTF8.self)
            let jwk = try #require(try StrictJSON.parse(Array(key[3].utf8)).members)
            published.append(try VerifyingKey(jwk: jwk, algorithm: algorithm))
            let given = VerificationKey.Source.key(PublicKeyDetails(publicKey: pem, publicKeyFingerprint: ""))
            let issuer = "https://\(key[1])/"
            try await gateway.issuer(Issuer.details(algorithm, issuer: issuer, source: given))
            try await gateway.issuer(
                Issuer.details(algorithm, issuer: issuer + "published", source: .jwks(url: Self.url))
            )
        }
        gateway.published.put(published, at: Self.url)
    }

    private static func response(to token: String, _ gateway: Gateway) async -> String {
        do {
            let found = try await gateway.verifier.verify(token, keyName: nil, brand: Gateway.acme)
            return found.consumer.rawValue == "zoë" && found.profile.name == "Zoë 😀" ? "taken" : "misread"
        } catch { return error.reason ?? error.code }
    }
}
