internal import TLS

extension SimulatorCredentials {
    /// The password of the `.p12` file.
    package static let certificatePassword = "simulator"

    /// The path of the sender's certificate and key as one PEM text.
    package var certificateFile: String { Self.path("apns-cert.pem", in: self.folder) }
    /// The path of the same as a `.p12` file, encrypted with ``certificatePassword``.
    package var certificateArchiveFile: String { Self.path("apns.p12", in: self.folder) }

    /// Creates another APNs certificate that the simulator trusts.
    ///
    /// - Parameter specification: The content of the certificate.
    /// - Returns: The certificate and its key as one PEM text.
    /// - Throws: ``SimulatorError/credentials(file:reason:)`` when it cannot be created.
    package func makeCertificate(_ specification: APNsCertificateSpecification) throws(SimulatorError) -> String {
        do {
            let issued = try CertificateFactory.sender(specification, issuedBy: self.authority)
            return issued.certificatePEM + "\n" + issued.keyPEM + "\n"
        } catch {
            throw .credentials(file: self.certificateFile, reason: "the certificate cannot be created: \(error)")
        }
    }

    /// Writes the sender's certificate for the topic in both forms, unless the folder has a valid one.
    func writeCertificate() throws(SimulatorError) {
        let file = CredentialFile(path: self.certificateFile)
        if let text = try file.read(), let key = text.firstRange(of: "-----BEGIN PRIVATE KEY-----") {
            let stored = CertificateFactory.Issued(
                certificatePEM: String(text[..<key.lowerBound]),
                keyPEM: String(text[key.lowerBound...])
            )
            let archive = CredentialFile(path: self.certificateArchiveFile)
            if archive.exists, CertificateFactory.isUsable(stored, authority: self.authority) { return }
        }
        let text = try self.makeCertificate(APNsCertificateSpecification(topics: [self.topic, self.topic + ".voip"]))
        let archive: [UInt8]
        do {
            archive = try TLSIdentity(pem: Array(text.utf8), password: nil).pkcs12(password: Self.certificatePassword)
        } catch {
            throw .credentials(file: self.certificateArchiveFile, reason: "cannot be created: \(error)")
        }
        try CredentialFile(path: self.certificateArchiveFile).write(archive, isSecret: true)
        try file.write(text, isSecret: true)
    }
}
