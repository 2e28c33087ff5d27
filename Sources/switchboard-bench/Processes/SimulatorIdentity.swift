import Foundation

/// Whom the simulated APNs accepts, as the simulator wrote it down beside its key.
struct SimulatorIdentity {
    /// The team id.
    var teamID: String
    /// The key id.
    var keyID: String
    /// The topic.
    var topic: String

    /// Reads what the simulator wrote.
    ///
    /// - Parameter certificates: The simulator's folder.
    /// - Throws: ``BenchmarkError`` when the file is not as expected.
    init(certificates: URL) throws {
        let data = try Data(contentsOf: certificates.appendingPathComponent("apns-key.json"))
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        guard let team = object?["teamId"] as? String, let key = object?["keyId"] as? String,
            let topic = object?["topic"] as? String
        else { throw BenchmarkError("apns-key.json lacks teamId, keyId or topic") }
        teamID = team
        keyID = key
        self.topic = topic
    }
}
