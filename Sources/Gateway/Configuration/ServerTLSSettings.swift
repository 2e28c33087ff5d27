/// The files of TLS of the HTTP API, all in PEM.
///
/// - `server.tls.certificate` (path, default none: plain HTTP; together with `server.tls.key`)
/// - `server.tls.key` (path, default none)
/// - `server.tls.clientCa` (path, default none: no client certificates; only with the two others)
package struct ServerTLSSettings: Equatable, Sendable {
    /// The certificate chain, own certificate first.
    var certificate: String
    /// The unencrypted private key of the certificate.
    var key: String
    /// The authorities of client certificates, which every client must then have; nil for none.
    var clientCA: String?
    /// Whether HTTP/2 is offered besides HTTP/1.1: `server.http2`.
    var offersHTTP2 = true

    /// Creates settings from paths.
    init(certificate: String, key: String, clientCA: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.clientCA = clientCA
    }

    /// Reads and checks, but does not read the files; nil when no file is named; throws ``SettingsError``.
    init?(_ reader: SettingsReader) async throws {
        let certificate = try await reader.text(.serverTLSCertificate)
        let key = try await reader.text(.serverTLSKey)
        let clientCA = try await reader.text(.serverTLSClientCA)
        switch (certificate, key) {
        case (let certificate?, let key?): self.init(certificate: certificate, key: key, clientCA: clientCA)
        case (let certificate?, nil):
            throw reader.wrong(.serverTLSCertificate, certificate, "set together with server.tls.key")
        case (nil, let key?):
            throw reader.wrong(.serverTLSKey, key, "set together with server.tls.certificate")
        case (nil, nil):
            if let clientCA {
                throw reader.wrong(.serverTLSClientCA, clientCA, "set together with server.tls.certificate")
            }
            return nil
        }
    }

    /// The paths of all files.
    var paths: [String] { [certificate, key] + (clientCA.map { [$0] } ?? []) }
}
