import Foundation

/// The credentials that the simulated APNs accepts, from the simulator's file.
package struct SimulatorIdentity: Sendable {
    /// The team id.
    package var teamID: String
    /// The key id.
    package var keyID: String
    /// The topic.
    package var topic: String
    /// The key as PEM.
    package var privateKey: String

    /// Reads the simulator's file.
    package init(keys: String) throws {
        let data = try Data(contentsOf: URL(filePath: keys + "/apns-key.json"))
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        guard let team = object?["teamId"] as? String, let key = object?["keyId"] as? String,
            let topic = object?["topic"] as? String
        else { throw HarnessError("apns-key.json lacks teamId, keyId or topic") }
        teamID = team
        keyID = key
        self.topic = topic
        privateKey = try String(contentsOfFile: keys + "/apns-key.p8", encoding: .utf8)
    }
}
