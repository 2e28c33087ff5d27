/// The kind of the servers' certificate, valid or invalid.
package enum ServerCertificateKind: String, CaseIterable, Sendable {
    /// Valid: issued by the simulator's authority for the loopback names.
    case sound
    /// For another host.
    case otherHost = "other-host"
    /// Expired.
    case expired
    /// Self-signed.
    case selfSigned = "self-signed"
}

extension SimulatorCredentials {
    /// Returns a certificate of that kind with its key.
    ///
    /// - Parameter kind: The kind.
    /// - Returns: The stored certificate for the valid kind, else a new one.
    /// - Throws: ``SimulatorError/credentials(file:reason:)`` when it cannot be created.
    func serverCertificate(_ kind: ServerCertificateKind) throws(SimulatorError) -> CertificateFactory.Issued {
        do {
            switch kind {
            case .sound: return server
            case .otherHost:
                return try CertificateFactory.server(issuedBy: authority, names: "DNS:push.example.com")
            case .expired: return try CertificateFactory.server(issuedBy: authority, lifeDays: -1)
            case .selfSigned: return try CertificateFactory.server(issuedBy: nil)
            }
        } catch {
            throw .credentials(file: folder, reason: "no certificate can be created: \(error)")
        }
    }
}
