import FoundationEssentials
package import GatewayModel
package import TLS

/// An app's certificate for APNs, decrypted.
package struct APNsCertificate: Sendable {
    /// The content of the certificate.
    package let facts: APNsCertificateFacts
    /// The TLS identity of connections.
    let identity: TLSIdentity

    /// Reads a certificate chain and its private key in PEM, without a password, in the form of ``settings``; derives
    /// no key.
    ///
    /// - Throws: ``PushCredentialError`` with the member that cannot be used.
    package init(_ opened: APNsCertificateSettings) throws(PushCredentialError) {
        try self.init(opening: opened, derivations: KeyDerivations(limit: 0))
    }

    /// Decrypts a certificate: PEM, or a `.p12` file as base64, with its password.
    ///
    /// Derives keys from the password: do not call it on an event loop.
    ///
    /// - Throws: ``PushCredentialError`` with the member that cannot be used.
    package init(
        opening settings: APNsCertificateSettings,
        derivations: KeyDerivations = KeyDerivations()
    ) throws(PushCredentialError) {
        do {
            identity = try Self.identity(settings, derivations)
        } catch {
            throw Self.error(error, hasPassword: settings.password != nil, derivations)
        }
        guard let facts = APNsCertificateFacts(chainPEM: identity.certificateChainPEM) else {
            throw PushCredentialError(pointer: Self.pointer, detail: "its certificate cannot be parsed")
        }
        guard !facts.topics.isEmpty else {
            throw PushCredentialError(
                pointer: Self.pointer,
                detail: "names no topic: it is not a certificate for Apple's push service"
            )
        }
        self.facts = facts
    }

    /// The certificate as settings without a password: secret.
    package var settings: APNsCertificateSettings {
        APNsCertificateSettings(
            certificate: String(decoding: identity.certificateChainPEM + identity.privateKeyPEM, as: UTF8.self)
        )
    }

    private static let pointer = "/apns/certificate"

    private static func identity(
        _ settings: APNsCertificateSettings,
        _ derivations: KeyDerivations
    ) throws(TLSIdentityFailure) -> TLSIdentity {
        let bytes = Array(settings.certificate.utf8)
        if bytes.contains("-----BEGIN ".utf8) {
            return try TLSIdentity(pem: bytes, password: settings.password, derivations: derivations)
        }
        // Most tools wrap base64 into lines.
        let text = Data(bytes.filter { !($0 == 0x20 || (0x09...0x0D).contains($0)) })
        guard let file = Data(base64Encoded: text), !file.isEmpty else { throw .unreadable("neither PEM nor base64") }
        return try TLSIdentity(
            pkcs12: [UInt8](file),
            password: settings.password ?? "",
            derivations: derivations
        )
    }

    /// Makes an error with a clear text; OpenSSL's texts do not help an operator.
    private static func error(
        _ failure: TLSIdentityFailure,
        hasPassword: Bool,
        _ derivations: KeyDerivations
    ) -> PushCredentialError {
        switch failure {
        case .unreadable:
            PushCredentialError(
                pointer: pointer,
                detail: "must be PEM of a certificate with its private key, or a .p12 file as base64"
            )
        case .wrongPassword:
            PushCredentialError(
                pointer: "/apns/password",
                detail: hasPassword ? "does not open the certificate" : "is required: the certificate is encrypted"
            )
        case .tooManyDerivations where derivations.areRefused:
            PushCredentialError(pointer: pointer, detail: "is not decrypted with its password yet")
        case .tooManyDerivations:
            PushCredentialError(
                pointer: pointer,
                detail:
                    "its key derivation has more than \(KeyDerivations.maxRounds) rounds, or an unknown algorithm"
            )
        case .noCertificate: PushCredentialError(pointer: pointer, detail: "holds no certificate")
        case .noPrivateKey: PushCredentialError(pointer: pointer, detail: "holds no private key")
        case .severalPrivateKeys:
            PushCredentialError(pointer: pointer, detail: "holds more than one private key")
        case .keyDoesNotFit:
            PushCredentialError(pointer: pointer, detail: "its private key does not belong to its certificate")
        }
    }
}

extension APNsCertificate {
    /// Returns the bundle id of the app's pushes: the topic in the settings, else the certificate's only one.
    ///
    /// - Throws: ``PushCredentialError`` when the certificate does not contain it, or none is chosen of several.
    func topic(chosen: String?) throws(PushCredentialError) -> String {
        if let chosen {
            guard facts.topics.contains(chosen) else {
                throw PushCredentialError(
                    pointer: "/apns/topic",
                    detail: "is not among the certificate's topics: \(facts.topics.joined(separator: ", "))"
                )
            }
            return chosen
        }
        guard let only = facts.onlyBundleID else {
            throw PushCredentialError(
                pointer: "/apns/topic",
                detail: "is required: the certificate has several, \(facts.topics.joined(separator: ", "))"
            )
        }
        return only
    }
}
