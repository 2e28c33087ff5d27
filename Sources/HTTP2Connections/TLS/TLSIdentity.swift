/// A certificate chain and its private key: what a server shows, or a client that signs in by certificate.
package struct TLSIdentity: Sendable {
    /// The chain in PEM, own certificate first.
    package var certificateChainPEM: [UInt8]

    /// The unencrypted private key in PEM (PKCS#8 or traditional).
    package var privateKeyPEM: [UInt8]

    /// Names the chain and the key; they are parsed when a context is made of them.
    package init(certificateChainPEM: [UInt8], privateKeyPEM: [UInt8]) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
    }
}
