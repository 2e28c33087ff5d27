internal import Cryptography
internal import TextFormats

extension TalkdeskClient {
    /// Parses clients in the form of the control port: an array of
    /// `{"clientId","keyId","publicKey","decisionSecret"?}`, the key in PEM and the secret as `whsec_` and base64.
    ///
    /// - Parameter text: UTF-8.
    /// - Returns: The clients.
    /// - Throws: ``RuleError`` for anything unknown or missing.
    package static func parse(_ text: [UInt8]) throws(RuleError) -> [TalkdeskClient] {
        try RuleReader.list(text, of: "client") { reader throws(RuleError) in
            let (id, keyID) = (try reader.string("clientId"), try reader.string("keyId"))
            let pem = try reader.string("publicKey")
            let secret = try reader.string("decisionSecret")
            try reader.end()
            guard let id, let keyID, let pem, let key = try? P256.PublicKey(pemRepresentation: pem) else {
                throw reader.error("needs clientId, keyId and a publicKey on P-256")
            }
            var decisionKey: [UInt8]?
            if let secret {
                guard secret.hasPrefix("whsec_"), let key = StrictBase64.decode(secret.utf8.dropFirst(6), .standard)
                else { throw reader.error("\"decisionSecret\" must be whsec_ and base64") }
                decisionKey = key
            }
            return TalkdeskClient(id: id, keyID: keyID, publicKey: key, decisionKey: decisionKey)
        }
    }
}
