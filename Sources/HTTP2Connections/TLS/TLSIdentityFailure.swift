/// Why a file does not give a certificate with its private key.
package enum TLSIdentityFailure: Error, Equatable, Sendable {
    /// It is not of the form that was expected, or damaged; the text is OpenSSL's reason and holds nothing of the file.
    case unreadable(String)
    /// The password does not open it, or is missing.
    case wrongPassword
    /// Its keys are derived from the password in more rounds than ``KeyDerivations`` allows, or in a way not known here.
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
