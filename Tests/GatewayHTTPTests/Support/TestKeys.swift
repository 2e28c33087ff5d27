import Crypto
import Foundation

/// Keys that are created for one run.
enum TestKeys {
    /// An APNs key as its `.p8` text, escaped for JSON.
    static let p8 = P256.Signing.PrivateKey().pemRepresentation.replacing("\n", with: "\\n")

    /// Returns a compact JWS with HS256.
    static func assertion(_ claims: String, key: String, header: String) -> String {
        func encode(_ data: some DataProtocol) -> String {
            Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }
        let signed = encode(Data(header.utf8)) + "." + encode(Data(claims.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: SymmetricKey(data: Data(key.utf8)))
        return signed + "." + encode(Data(code))
    }
}
