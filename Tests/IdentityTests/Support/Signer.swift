import Crypto
import Foundation

/// Signs as a back-end would, and as an attacker would; shares no code with the tested code.
enum Signer {
    static let secret = "an-sdk-key-secret-of-forty-bytes-exactly"
    static let header = #"{"alg":"HS256","typ":"JWT"}"#

    /// Returns valid claims with a test's changes; nil removes a claim.
    static func claims(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String] = [
            "iss": #""main""#, "iat": "\(Gateway.start)", "exp": "\(Gateway.start + 600)",
            "identifier": #""consumer-1""#,
        ]
        for (name, value) in changes { members[name] = value }
        return "{" + members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
            + "}"
    }

    static func token(
        header: String = Self.header,
        claims: String = Self.claims(),
        secret: String = Self.secret
    ) -> String {
        sign(base64URL(Array(header.utf8)) + "." + base64URL(Array(claims.utf8)), secret: secret)
    }

    /// Adds the HS256 signature to any two parts.
    static func sign(_ input: String, secret: String = Self.secret) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(input.utf8),
            using: SymmetricKey(data: Array(secret.utf8))
        )
        return input + "." + base64URL(Array(code))
    }

    static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
