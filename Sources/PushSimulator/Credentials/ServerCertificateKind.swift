internal import X509

/// What is wrong with the certificate that the simulator's servers show.
package enum ServerCertificateKind: String, CaseIterable, Sendable {
    /// Nothing: issued by the simulator's authority for the loopback names.
    case sound
    /// It is for another host.
    case otherHost = "other-host"
    /// Its time is over.
    case expired
    /// It is signed by itself.
    case selfSigned = "self-signed"
}

extension SimulatorCredentials {
    /// A certificate of that kind with its key.
    ///
    /// - Parameter kind: What is wrong with it.
    /// - Returns: The stored one for a sound one, else a new one.
    /// - Throws: ``SimulatorError/credentials(file:reason:)`` when it cannot be made.
    func serverCertificate(_ kind: ServerCertificateKind) throws(SimulatorError) -> CertificateFactory.Issued {
        do {
            switch kind {
            case .sound: return server
            case .otherHost:
                return try CertificateFactory.server(issuedBy: authority, names: [.dnsName("push.example.com")])
            case .expired: return try CertificateFactory.server(issuedBy: authority, lifeDays: -1)
            case .selfSigned: return try CertificateFactory.server(issuedBy: nil)
            }
        } catch {
            throw .credentials(file: folder, reason: "no certificate can be made: \(error)")
        }
    }
}
