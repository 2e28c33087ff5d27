/// The error of reading a certificate with its private key from a file.
package enum TLSIdentityFailure: Error, Equatable, Sendable {
    /// The file has another format, or is damaged; the text is OpenSSL's reason and holds nothing of the file.
    case unreadable(String)
    /// The password is wrong or missing.
    case wrongPassword
    /// Its keys are derived from the password in more rounds than ``KeyDerivations`` allows, or with an unknown
    /// algorithm.
    case tooManyDerivations
    /// It holds no certificate.
    case noCertificate
    /// It holds no private key.
    case noPrivateKey
    /// It holds more than one private key.
    case severalPrivateKeys
    /// Its key belongs to none of its certificates.
    case keyDoesNotFit
}
