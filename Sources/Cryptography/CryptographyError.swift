/// The reasons for which a cryptographic operation fails; none contains a part of its input.
package enum CryptographyError: Error, Equatable {
    /// A key, nonce, initialization vector, tag or signature has the wrong length.
    case wrongLength
    /// A key is not encoded as it must be, is of another type or curve, or is not valid.
    case invalidKey
    /// A certificate or signature is not encoded as it must be.
    case invalidEncoding
    /// The tag or the padding of a ciphertext is wrong.
    case authenticationFailure
    /// OpenSSL could not do it: no memory, no randomness, or a policy that forbids it.
    case unavailable
}
