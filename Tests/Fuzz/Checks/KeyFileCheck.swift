internal import DerivationCounter
internal import TLS

/// A check for every file that may contain a certificate and its key.
///
/// The first byte of an input has flags: 1 for PKCS#12 in place of PEM, 2 for a password, 4 for a file for which no key
/// may be derived.
enum KeyFileCheck {
    /// Low, so that a fuzzer processes many files.
    private static let limit = 10_000

    /// - Parameter input: The flags, and the file.
    /// - Returns: The failed check; nil for none.
    static func failure(on input: UnsafeRawBufferPointer) -> String? {
        guard let flags = input.first else { return nil }
        let file = Array(input.dropFirst())
        let derivations = KeyDerivations(limit: flags & 4 == 0 ? limit : 0)
        let password = flags & 2 == 0 ? "" : "secret"
        derivation_counter_start(UInt64(limit))
        let identity = read(file, isPKCS12: flags & 1 != 0, password, derivations)
        let done = derivation_counter_stop()
        guard !done.unknown else { return "a key was derived without a number of rounds" }
        guard done.rounds <= derivations.rounds else {
            return "\(done.rounds) rounds were derived, \(derivations.rounds) were counted"
        }
        guard derivations.rounds <= (flags & 4 == 0 ? limit : 0) else { return "more rounds than the limit" }
        guard let identity else { return nil }
        // The stored form opens without any derivation, and is the same.
        let stored = identity.certificateChainPEM + identity.privateKeyPEM
        guard let again = read(stored, isPKCS12: false, nil, KeyDerivations(limit: 0)) else {
            return "the written form cannot be parsed"
        }
        guard again.privateKeyPEM == identity.privateKeyPEM else { return "another key was written" }
        guard again.certificateChainPEM == identity.certificateChainPEM else {
            return "other certificates were written"
        }
        return nil
    }

    private static func read(
        _ file: [UInt8],
        isPKCS12: Bool,
        _ password: String?,
        _ derivations: KeyDerivations
    ) -> TLSIdentity? {
        if isPKCS12 { return try? TLSIdentity(pkcs12: file, password: password ?? "", derivations: derivations) }
        return try? TLSIdentity(pem: file, password: password, derivations: derivations)
    }
}
