extension APNsValidator {
    /// Authenticates the sender: by the connection's certificate, with which `authorization` is ignored, else by the
    /// push's token.
    func checkSender(
        _ authorization: String?,
        connection: inout APNsConnectionState,
        at now: SimulatorTime
    ) throws(APNsRejection) {
        guard let certificate = connection.certificate else {
            return try self.checkProviderToken(authorization, connection: &connection, at: now)
        }
        guard !certificate.topics.isEmpty, now < certificate.notAfter else { throw APNsRejection(.badCertificate) }
        guard self.directory.isSandbox ? certificate.isForSandbox : certificate.isForProduction else {
            throw APNsRejection(.badCertificateEnvironment)
        }
    }

    /// Returns the topic of a push: optional for a certificate with one topic; a given one must be in the certificate.
    static func topic(_ named: String?, of certificate: APNsClientCertificate?) throws(APNsRejection) -> String? {
        guard let certificate else { return named }
        if named == nil, certificate.topics.count == 1 { return certificate.topics.first }
        if let named, !certificate.topics.contains(named) { throw APNsRejection(.topicDisallowed) }
        return named
    }
}
