import FoundationEssentials
package import GatewayModel
import HTTP2Connections

/// An app's certificate for APNs, opened.
///
/// Reading derives keys from passwords: not on an event loop.
package struct APNsCertificate: Sendable {
    /// What it says of itself.
    package let facts: APNsCertificateFacts
    /// What connections sign in with.
    let identity: TLSIdentity

    /// Opens a certificate.
    ///
    /// - Parameter settings: PEM, or a `.p12` file as base64, with its password.
    /// - Throws: ``PushCredentialError`` naming the member that cannot be used.
    package init(_ settings: APNsCertificateSettings) throws(PushCredentialError) {
        do {
            identity = try Self.identity(settings)
        } catch {
            throw Self.error(error, hasPassword: settings.password != nil)
        }
        guard let facts = APNsCertificateFacts(chainPEM: identity.certificateChainPEM) else {
            throw PushCredentialError(pointer: Self.pointer, detail: "its certificate cannot be understood")
        }
        guard !facts.topics.isEmpty else {
            throw PushCredentialError(
                pointer: Self.pointer,
                detail: "names no topic: it is not a certificate for Apple's push service"
            )
        }
        self.facts = facts
    }

    private static let pointer = "/apns/certificate"

    private static func identity(_ settings: APNsCertificateSettings) throws(TLSIdentityFailure) -> TLSIdentity {
        // Base64 holds no hyphen.
        if settings.certificate.utf8.contains(UInt8(ascii: "-")) {
            return try TLSIdentity(pem: Array(settings.certificate.utf8), password: settings.password)
        }
        // Most tools break base64 into lines.
        let text = settings.certificate.utf8.filter { $0 > 0x20 }
        guard let file = Data(base64Encoded: Data(text)), !file.isEmpty else {
            throw .unreadable("neither PEM nor base64")
        }
        return try TLSIdentity(pkcs12: [UInt8](file), password: settings.password ?? "")
    }

    /// Our own words: OpenSSL's would tell an operator little.
    private static func error(_ failure: TLSIdentityFailure, hasPassword: Bool) -> PushCredentialError {
        switch failure {
        case .unreadable:
            PushCredentialError(
                pointer: pointer,
                detail: "must be PEM of a certificate with its private key, or a .p12 file as base64"
            )
        case .wrongPassword:
            PushCredentialError(
                pointer: "/apns/password",
                detail: hasPassword ? "does not open the certificate" : "is required: the certificate is closed by one"
            )
        case .tooManyDerivations:
            PushCredentialError(
                pointer: pointer,
                detail: """
                    its keys are derived more than \(TLSIdentity.maxKeyDerivations) times together, or in a way not known here
                    """
            )
        case .noCertificate: PushCredentialError(pointer: pointer, detail: "holds no certificate")
        case .noPrivateKey: PushCredentialError(pointer: pointer, detail: "holds no private key")
        case .severalPrivateKeys: PushCredentialError(pointer: pointer, detail: "must hold one private key only")
        case .keyDoesNotFit:
            PushCredentialError(pointer: pointer, detail: "its private key does not belong to its certificate")
        }
    }
}

extension APNsCertificate {
    /// The bundle id of the app's pushes.
    ///
    /// - Parameter chosen: What the settings say.
    /// - Returns: The chosen one, else the only one that the certificate names.
    /// - Throws: ``PushCredentialError`` when it is not among the certificate's, or none is chosen of several.
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
