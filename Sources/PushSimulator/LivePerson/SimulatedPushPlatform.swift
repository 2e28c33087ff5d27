internal import TextFormats

/// LivePerson's platform as the sender of pushes to a brand's push proxy (https://developers.liveperson.com, "Push
/// notification service").
///
/// It resends a push without an id until the proxy takes it: after a 5xx and without a response, but not after another
/// status.
package struct SimulatedPushPlatform: Sendable {
    /// Sends a body with headers to the proxy; returns the status of the response, and throws without a response.
    package typealias Post =
        @Sendable (_ headers: [(name: String, value: String)], _ body: [UInt8]) async throws -> Int

    /// The time between two attempts.
    package var interval = Duration.seconds(10)
    /// The most attempts after the first one.
    package var maxResends = 4

    private let authorization: String
    private let post: Post
    private let wait: @Sendable (Duration) async throws -> Void

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - user: The user of the proxy's Basic credentials.
    ///   - password: Their password.
    ///   - wait: Waits between attempts; tests may replace it.
    ///   - post: Sends one attempt.
    package init(
        user: String,
        password: String,
        wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        post: @escaping Post
    ) {
        authorization = "Basic " + StrictBase64.encode(Array("\(user):\(password)".utf8), .standard)
        self.wait = wait
        self.post = post
    }

    /// Sends a push until the proxy takes or refuses it, or all attempts are used.
    ///
    /// - Parameter envelope: The body, the same for each attempt.
    /// - Returns: The status of each attempt; 0 for one without a response.
    /// - Throws: `CancellationError` when the task is cancelled between attempts.
    package func send(_ envelope: [UInt8]) async throws -> [Int] {
        let headers = [
            (name: "Content-Type", value: "application/json"), (name: "Authorization", value: authorization),
        ]
        var statuses: [Int] = []
        while true {
            let status = (try? await post(headers, envelope)) ?? 0
            statuses.append(status)
            guard status == 0 || status >= 500, statuses.count <= maxResends else { return statuses }
            try await wait(interval)
        }
    }

    /// Returns the push of an agent's message for an iPhone.
    ///
    /// - Parameters:
    ///   - text: The text of the notification.
    ///   - token: The device's token.
    ///   - conversation: The conversation.
    ///   - sequence: The number of the message in it.
    ///   - brand: The brand's id.
    /// - Returns: The body.
    package static func apns(
        _ text: String,
        to token: String,
        in conversation: String,
        sequence: Int64,
        brand: String
    ) -> [UInt8] {
        let aps = object([("alert", .string(text)), ("sound", .string("default"))])
        let members = message(in: conversation, sequence, brand)
        return object(
            [("aps", aps), ("push-service", .integer(1)), ("device-token", .string(token))] + members
                + [("notificationType", .string("apn"))]
        ).text
    }

    /// Returns the push of an agent's message for FCM, whose members are in a `payload`.
    ///
    /// - Parameters:
    ///   - text: The text of the notification.
    ///   - token: The device's token.
    ///   - conversation: The conversation.
    ///   - sequence: The number of the message in it.
    ///   - brand: The brand's id.
    /// - Returns: The body.
    package static func fcm(
        _ text: String,
        to token: String,
        in conversation: String,
        sequence: Int64,
        brand: String
    ) -> [UInt8] {
        let payload = object(message(in: conversation, sequence, brand))
        return object([
            ("data", object([("message", .string(text)), ("payload", payload)])), ("push-service", .integer(2)),
            ("device-token", .string(token)), ("notificationType", .string("gcm")),
        ]).text
    }

    private static func message(
        in conversation: String,
        _ sequence: Int64,
        _ brand: String
    ) -> [(String, JSONValue)] {
        [
            ("backendService", .string("ams")), ("conversationId", .string(conversation)),
            ("dialogId", .string(conversation)), ("originatorId", .string(brand + ".2001")),
            ("brandId", .string(brand)), ("badge", .integer(1)), ("sequence", .integer(sequence)),
        ]
    }

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONValue.JSONMember(name: $0.0, value: $0.1) })
    }
}
