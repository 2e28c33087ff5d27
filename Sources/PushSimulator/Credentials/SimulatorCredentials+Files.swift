internal import Cryptography

extension SimulatorCredentials {
    /// A service account with its key.
    struct Account {
        var key: RSA.PrivateKey
        var keyID: String
        var email: String
        var projectID: String
    }

    /// Reads or creates a certificate and its key, as `NAME.pem` and `NAME.key`.
    static func certificate(
        _ name: String,
        in folder: String,
        authority: CertificateFactory.Issued?,
        make: () throws -> CertificateFactory.Issued
    ) throws(SimulatorError) -> CertificateFactory.Issued {
        let certificateFile = CredentialFile(path: Self.path("\(name).pem", in: folder))
        let keyFile = CredentialFile(path: Self.path("\(name).key", in: folder))
        if let certificate = try certificateFile.read(), let key = try keyFile.read() {
            let stored = CertificateFactory.Issued(certificatePEM: certificate, keyPEM: key)
            if CertificateFactory.isUsable(stored, authority: authority) { return stored }
        }
        let issued: CertificateFactory.Issued
        do {
            issued = try make()
        } catch {
            throw .credentials(file: certificateFile.path, reason: "the certificate cannot be created: \(error)")
        }
        try keyFile.write(issued.keyPEM + "\n", isSecret: true)
        try certificateFile.write(issued.certificatePEM + "\n", isSecret: false)
        return issued
    }

    /// Reads or creates the team's key, in Apple's form.
    static func teamKey(in folder: String) throws(SimulatorError) -> P256.PrivateKey {
        let file = CredentialFile(path: Self.path("apns-key.p8", in: folder))
        guard let text = try file.read() else {
            let key = P256.PrivateKey()
            try file.write(key.pemRepresentation + "\n", isSecret: true)
            return key
        }
        do {
            return try P256.PrivateKey(pemRepresentation: text)
        } catch {
            throw .credentials(file: file.path, reason: "not a P-256 key in PEM")
        }
    }

    /// Reads or creates the team id, key id and topic of the key.
    static func team(in folder: String) throws(SimulatorError) -> (teamID: String, keyID: String, topic: String) {
        let name = "apns-key.json"
        let file = CredentialFile(path: Self.path(name, in: folder))
        guard let text = try file.read() else {
            let team = (teamID: "SIMTEAM001", keyID: "SIMKEY0001", topic: "com.example.bank")
            let json: JSONValue = [
                "teamId": .string(team.teamID), "keyId": .string(team.keyID), "topic": .string(team.topic),
            ]
            try Self.write(json, to: name, in: folder, isSecret: false)
            return team
        }
        let json = try? JSONValue(parsing: Array(text.utf8))
        guard let teamID = json?["teamId"]?.stringValue, let keyID = json?["keyId"]?.stringValue,
            let topic = json?["topic"]?.stringValue
        else { throw .credentials(file: file.path, reason: "lacks teamId, keyId or topic") }
        return (teamID, keyID, topic)
    }

    /// A key for all folders that one process creates: generating takes long, and accounts differ by the key's id
    /// anyway.
    private static let newAccountKey = Result { try RSA.PrivateKey(bitCount: 2048) }

    /// Reads or creates the service account; a previous start may have written its file.
    static func account(in folder: String) throws(SimulatorError) -> Account {
        let file = CredentialFile(path: Self.path("service-account.json", in: folder))
        guard let text = try file.read() else {
            do {
                return Account(
                    key: try Self.newAccountKey.get(),
                    keyID: RandomID.hexadecimal(20),
                    email: "gateway@simulated-project.iam.gserviceaccount.com",
                    projectID: "simulated-project"
                )
            } catch {
                throw .credentials(file: file.path, reason: "the key cannot be created")
            }
        }
        let json = try? JSONValue(parsing: Array(text.utf8))
        guard let pem = json?["private_key"]?.stringValue, let keyID = json?["private_key_id"]?.stringValue,
            let email = json?["client_email"]?.stringValue, let projectID = json?["project_id"]?.stringValue,
            let key = try? RSA.PrivateKey(pemRepresentation: pem)
        else { throw .credentials(file: file.path, reason: "not a service account as the simulator writes it") }
        return Account(key: key, keyID: keyID, email: email, projectID: projectID)
    }
}
