package import Cryptography
internal import FoundationEssentials

/// The certificates and keys of one simulator: those of its servers, and those with which clients sign.
///
/// Any thread.
package struct SimulatorCredentials: Sendable {
    /// The folder of all files.
    package let folder: String
    /// The authority with its key.
    let authority: CertificateFactory.Issued
    /// The servers' certificate with its key.
    let server: CertificateFactory.Issued
    /// The team's APNs key, with which a sender signs provider tokens.
    package let teamKey: P256.PrivateKey
    /// The id of the APNs key, ten characters.
    package let keyID: String
    /// The team id, ten characters.
    package let teamID: String
    /// The bundle id that the key may send for.
    package let topic: String
    /// The service account's key, with which a sender signs assertions.
    package let accountKey: RSA.PrivateKey
    /// The id of the service account's key.
    package let accountKeyID: String
    /// The service account's address.
    package let accountEmail: String
    /// The service account's project.
    package let projectID: String

    /// The authority that clients must trust, PEM.
    package var authorityPEM: String { authority.certificatePEM }
    /// The authority's file, which clients must trust.
    package var authorityFile: String { Self.path("ca.pem", in: self.folder) }
    /// The file of the servers' certificate (PEM).
    package var serverCertificateFile: String { Self.path("server.pem", in: self.folder) }
    /// The file of its key (PEM).
    package var serverKeyFile: String { Self.path("server.key", in: self.folder) }
    /// The file of the team's APNs key (PKCS#8 PEM).
    package var teamKeyFile: String { Self.path("apns-key.p8", in: self.folder) }
    /// The service account's file in Google's form.
    package var serviceAccountFile: String { Self.path("service-account.json", in: self.folder) }

    /// Reads the files of the folder and creates missing ones.
    ///
    /// Blocks on files and key generation: do not call it on an event loop.
    ///
    /// - Parameter folder: The folder; created when it does not exist.
    /// - Throws: ``SimulatorError/credentials(file:reason:)`` when a file cannot be read, written or parsed.
    package init(folder: String) throws(SimulatorError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .credentials(file: folder, reason: "the folder cannot be created")
        }
        self.folder = folder
        let authority = try Self.certificate("ca", in: folder, authority: nil) {
            try CertificateFactory.authority()
        }
        let server = try Self.certificate("server", in: folder, authority: authority) {
            try CertificateFactory.server(issuedBy: authority)
        }
        (self.authority, self.server) = (authority, server)
        self.teamKey = try Self.teamKey(in: folder)
        let team = try Self.team(in: folder)
        (self.teamID, self.keyID, self.topic) = (team.teamID, team.keyID, team.topic)
        let account = try Self.account(in: folder)
        self.accountKey = account.key
        self.accountKeyID = account.keyID
        self.accountEmail = account.email
        self.projectID = account.projectID
        try self.writeCertificate()
    }

    /// Writes the service account's file, with the current address of the token endpoint.
    ///
    /// - Parameter tokenURI: The token endpoint.
    /// - Throws: ``SimulatorError/credentials(file:reason:)``.
    func writeServiceAccount(tokenURI: String) throws(SimulatorError) {
        let json: JSONValue = [
            "type": .string("service_account"), "project_id": .string(self.projectID),
            "private_key_id": .string(self.accountKeyID),
            "private_key": .string(self.accountKey.pemRepresentation + "\n"),
            "client_email": .string(self.accountEmail), "token_uri": .string(tokenURI),
        ]
        try Self.write(json, to: "service-account.json", in: self.folder, isSecret: true)
    }

    /// Writes one JSON file.
    static func write(
        _ json: JSONValue,
        to name: String,
        in folder: String,
        isSecret: Bool
    ) throws(SimulatorError) {
        let text = String(decoding: json.text, as: UTF8.self) + "\n"
        try CredentialFile(path: Self.path(name, in: folder)).write(text, isSecret: isSecret)
    }

    /// Returns the path of a file in a folder.
    static func path(_ name: String, in folder: String) -> String {
        folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}
