import Crypto
import Foundation
import ProcessHarness

extension SimulatorIdentity {
    /// Signs a provider token for a third-party sender.
    ///
    /// - Returns: A JWS, valid from now on.
    /// - Throws: An error when the key cannot be used.
    func providerToken() throws -> String {
        func encode(_ data: some DataProtocol) -> String {
            Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }
        let key = try P256.Signing.PrivateKey(pemRepresentation: privateKey)
        let header = encode(Data(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
        let claims = encode(Data(#"{"iss":"\#(teamID)","iat":\#(Int(Date().timeIntervalSince1970))}"#.utf8))
        let signature = try key.signature(for: Data("\(header).\(claims)".utf8))
        return "\(header).\(claims).\(encode(signature.rawRepresentation))"
    }
}
