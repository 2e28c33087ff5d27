/// A certificate chain and its private key, of a server or of a client that authenticates by certificate.
package struct TLSIdentity: Sendable {
    /// The chain in PEM, own certificate first.
    package var certificateChainPEM: [UInt8]

    /// The unencrypted private key in PEM (PKCS#8 or traditional).
    package var privateKeyPEM: [UInt8]

    /// Stores the chain and the key; a context parses them when it is created.
    package init(certificateChainPEM: [UInt8], privateKeyPEM: [UInt8]) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
    }
}
