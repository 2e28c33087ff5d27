/// Why a file does not give a certificate with its private key.
package enum TLSIdentityFailure: Error, Equatable, Sendable {
    /// It is not of the form that was expected, or damaged; the text is OpenSSL's reason and holds nothing of the file.
    case unreadable(String)
    /// The password does not open it, or is missing.
    case wrongPassword
    /// Its keys are derived from the password more often than is done here (``TLSIdentity/maxKeyDerivations``).
    case tooManyDerivations
    /// It holds no certificate.
    case noCertificate
    /// It holds no private key.
    case noPrivateKey
    /// It holds several private keys, each of which could be the one that is meant.
    case severalPrivateKeys
    /// Its key belongs to none of its certificates.
    case keyDoesNotFit
}
