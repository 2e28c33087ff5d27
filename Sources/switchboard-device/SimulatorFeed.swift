import Foundation
import SwitchboardClient

/// The pushes of one token that the simulator has accepted, from its control port.
struct SimulatorFeed: Sendable {
    /// A part of the list.
    struct Pushes: Sendable {
        /// The payloads as the platform would deliver them.
        var payloads: [PushPayload]
        /// The number of the last push in it, of whatever token.
        var next: Int
    }

    /// The address of the control port.
    let control: URL
    let token: String
    private let transport = URLSessionTransport()

    init(control: URL, token: String) {
        self.control = control
        self.token = token
    }

    /// Returns the pushes after a number, as soon as there is one.
    ///
    /// - Parameters:
    ///   - number: The number of the last push that was seen; 0 for none.
    ///   - seconds: The longest wait, 0 to 300.
    /// - Returns: The pushes.
    /// - Throws: `malformedResponse` if the response is not the simulator's; an error of the transport.
    func pushes(after number: Int, waitSeconds seconds: Int) async throws -> Pushes {
        var components = URLComponents(url: control, resolvingAgainstBaseURL: false)
        components?.path = "/pushes"
        components?.query = "after=\(number)&waitSeconds=\(seconds)"
        guard let url = components?.url else { throw URLError(.badURL) }
        let response = try await transport.send(
            HTTPRequest(method: "GET", url: url, timeout: .seconds(seconds + 30))
        )
        guard response.status == 200, let pushes = Self.read(response.body, token: token) else {
            throw SwitchboardError(.malformedResponse, "the response is not one of the simulator's control port")
        }
        return pushes
    }

    /// Reads a response; nil if it is not the simulator's.
    static func read(_ body: Data, token: String) -> Pushes? {
        guard let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
            let next = object["next"] as? Int, let items = object["pushes"] as? [[String: Any]]
        else { return nil }
        let payloads = items.compactMap { item -> PushPayload? in
            guard item["token"] as? String == token, item["result"] as? String == "accepted",
                let content = item["body"] as? [String: Any]
            else { return nil }
            // FCM delivers the map `data` of the message; APNs the body as it is.
            if let message = content["message"] as? [String: Any] {
                return PushPayload(data: message["data"] as? [String: String] ?? [:])
            }
            guard let json = try? JSONSerialization.data(withJSONObject: content) else { return nil }
            return PushPayload(json: json)
        }
        return Pushes(payloads: payloads, next: next)
    }
}
