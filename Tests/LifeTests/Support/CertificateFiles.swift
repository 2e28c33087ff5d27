import Foundation
import ProcessHarness
import Testing

/// A certificate authority of a test and the files that a gateway is configured with, made by OpenSSL's program.
struct CertificateFiles {
    private let directory: TemporaryDirectory

    /// The authority, for clients.
    var authority: String { directory.path("authority.pem") }
    /// The file of `server.tls.certificate`.
    var certificate: String { directory.path("certificate.pem") }
    /// The file of `server.tls.key`.
    var key: String { directory.path("key.pem") }

    /// The settings that name the files.
    var environment: [String: String] {
        ["SWITCHBOARD_SERVER_TLS_CERTIFICATE": certificate, "SWITCHBOARD_SERVER_TLS_KEY": key]
    }

    /// Makes the authority.
    init(in directory: TemporaryDirectory) async throws {
        self.directory = directory
        try await run(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout authority.key \
            -out authority.pem -days 30 -subj /CN=authority
            printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\\n' >names
            """
        )
    }

    /// Issues a certificate for this host as `NAME.pem` with its key `NAME.key`; negative `days` make an expired one.
    func issue(_ name: String, serial: Int, days: Int = 20) async throws {
        try await run(
            """
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout \(name).key -out \(name).csr \
            -subj /CN=localhost
            openssl x509 -req -in \(name).csr -CA authority.pem -CAkey authority.key -set_serial \(serial) \
            -days \(days) -extfile names -out \(name).pem
            """
        )
    }

    /// Puts a certificate, and its own or another key, in the place of the gateway's files.
    func install(_ name: String, key keyName: String? = nil) throws {
        try copy("\(keyName ?? name).key", to: key)
        try copy("\(name).pem", to: certificate)
    }

    private func copy(_ name: String, to path: String) throws {
        try Data(contentsOf: URL(filePath: directory.path(name))).write(to: URL(filePath: path), options: .atomic)
    }

    private func run(_ script: String) async throws {
        let shell = try ChildProcess("/usr/bin/env", ["bash", "-c", "set -e\n" + script], directory: directory.path)
        let exit = try await shell.ended()
        try #require(exit.status == 0, "\(shell.errors)")
    }
}
