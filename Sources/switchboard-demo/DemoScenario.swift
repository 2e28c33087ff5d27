import Foundation
import GatewayClient

/// The demonstration: one consumer with two phones, two messages, a tap and a read; each step is shown and checked.
struct DemoScenario {
    /// The participants, with their addresses.
    let environment: DemoEnvironment
    /// The operator's client of the gateway's API.
    let admin: APIClient
    /// Prints a line.
    let show: @Sendable (String) -> Void

    private static let brand = "demo"
    private static let consumer = "u-1"
    /// The consumer of a phone in the terminal.
    private static let visitor = "you"
    private static let conversation = "c-9"
    private static let iPhone = "iphone-1"
    private static let android = "pixel-1"

    /// The credentials that remain for further requests by hand.
    struct Outcome {
        /// `id:secret` of the back-end's service account.
        var backend: String
        /// The iPhone's session token.
        var session: String
    }

    /// Runs all steps.
    ///
    /// - Returns: The credentials that remain.
    /// - Throws: ``CommandFailure`` with the expectation that failed.
    func run() async throws -> Outcome {
        heading("An operator sets up a brand with an iOS app and an Android app")
        try await setUp()
        let account = try await serviceAccount()
        let backend = APIClient(server: admin.server, basic: account)
        let token = try await session(backend, device: Self.iPhone)
        let phone = APIClient(server: admin.server, bearer: token)
        let pixel = APIClient(server: admin.server, bearer: try await session(backend, device: Self.android))

        heading("The consumer \(Self.consumer) has logged in on two phones, and both register")
        try await register(phone, app: "travel-ios", device: Self.iPhone, token: environment.apnsToken, type: "apns")
        try await register(pixel, app: "travel-android", device: Self.android, token: environment.fcmToken, type: "fcm")

        heading("An agent writes: one message, a push to each phone, the badge is the unread count")
        _ = try await message(1, "Your flight LH 1234 now leaves from gate B12", backend)
        heading("The agent writes again")
        let second = try await message(2, "Boarding begins at 14:25, there is no hurry", backend)

        heading("The consumer taps the second push on the iPhone; a tap alone marks nothing as read")
        try await tap(second, phone)
        heading("The app shows the conversation: it is read on the iPhone, so the other phone's badge is cleared too")
        try await read(phone)

        heading("The operator's view: every delivery")
        try await deliveries()
        return Outcome(backend: account, session: token)
    }

    /// Writes what `switchboard-device` needs to be one more phone of the brand.
    ///
    /// - Parameters:
    ///   - path: The file, which must not exist.
    ///   - outcome: The credentials.
    /// - Throws: ``CommandFailure``.
    func write(phone path: String, _ outcome: Outcome) async throws {
        let backend = APIClient(server: admin.server, basic: outcome.backend)
        let response = try await backend.call("POST", self.path("consumers", Self.visitor, "sessions"), body: [:])
        guard let session = response.body["sessionToken"].string else {
            throw broken("a minted session has a token", response.body)
        }
        let variables = [
            ("server", admin.server), ("control", environment.controlURL), ("backend", outcome.backend),
            ("brand", Self.brand), ("app", "travel-ios"), ("consumer", Self.visitor), ("session", session),
        ]
        let text = variables.map { "\($0)='\($1)'\n" }.joined()
        // Under another name first: who waits for the file reads all of it.
        let unfinished = path + ".new"
        let isCreated = FileManager.default.createFile(
            atPath: unfinished,
            contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard isCreated, rename(unfinished, path) == 0 else {
            throw CommandFailure(.failure, "the file \(path) cannot be written")
        }
    }

    // MARK: Steps

    private func setUp() async throws {
        _ = try await admin.call("POST", ["v1", "brands"], body: ["id": .string(Self.brand), "name": "Demo Travel"])
        _ = try await admin.call("PUT", path("apps", "travel-ios"), body: try environment.iOSApp)
        _ = try await admin.call("PUT", path("apps", "travel-android"), body: try environment.androidApp)
        show(
            "brand \(Self.brand), apps travel-ios (APNs at \(environment.apnsURL)) and travel-android (FCM at \(environment.fcmURL))"
        )
    }

    private func serviceAccount() async throws -> String {
        let scopes: JSONValue = ["events:write", "sessions:mint", "consumers:write", "deliveries:read"]
        let response = try await admin.call(
            "POST",
            path("credentials"),
            body: ["kind": "serviceAccount", "name": "contact centre", "scopes": scopes]
        )
        guard let id = response.body["id"].string, let secret = response.body["secret"].string else {
            throw broken("a new service account has an id and a secret", response.body)
        }
        show("the contact centre's back-end has the service account \(id)")
        return "\(id):\(secret)"
    }

    private func session(_ backend: APIClient, device: String) async throws -> String {
        let response = try await backend.call(
            "POST",
            path("consumers", Self.consumer, "sessions"),
            body: ["deviceId": .string(device)]
        )
        guard let token = response.body["sessionToken"].string else {
            throw broken("a minted session has a token", response.body)
        }
        return token
    }

    private func register(_ client: APIClient, app: String, device: String, token: String, type: String) async throws {
        let response = try await client.call(
            "PUT",
            path("apps", app, "devices", device),
            body: ["token": .string(token), "pushType": .string(type)]
        )
        try expect(response.status == 201, "the response to a new registration is 201", response.body)
        show("\(device) registers with \(app): \(type), token \(response.body["tokenFingerprint"].plain)")
    }

    private func message(_ number: Int64, _ text: String, _ backend: APIClient) async throws -> String {
        let before = environment.lastPush
        let response = try await backend.call(
            "POST",
            path("events"),
            body: [
                "id": .string("evt-\(number)"), "type": "agent.message", "consumer": .string(Self.consumer),
                "conversation": .string(Self.conversation), "agent": ["id": "8500.2001", "nickname": "Dana"],
                "text": .string(text),
            ]
        )
        let result = response.body["results"].items.first ?? .null
        try expect(result["status"].string == "accepted", "the event is accepted", response.body)
        try expect(result["unread"].integer == number, "unread is \(number)", response.body)
        guard let messageID = result["messageId"].string else {
            throw broken("an event has a message id", response.body)
        }
        show(
            "event evt-\(number) is on disk: message \(messageID), sequence \(result["sequence"].plain), unread \(number)"
        )
        let pushes = try await environment.pushes(2, after: before)
        for push in pushes { show(push.lines) }
        try expect(Set(pushes.map(\.provider)) == ["apns", "fcm"], "one push to each phone", .null)
        for push in pushes {
            try expect(push.isAccepted, "\(push.provider) accepts the push: \(push.reason)", push.body)
            try expect(push.badge == number, "the \(push.provider) push carries badge \(number)", push.body)
            try expect(push.text == text && push.title == "Dana", "the push shows agent and text", push.body)
            try expect(push.messageID == messageID, "the push names its message", push.body)
        }
        return messageID
    }

    private func tap(_ messageID: String, _ phone: APIClient) async throws {
        let response = try await phone.call(
            "POST",
            path("messages", messageID, "tap"),
            body: ["deviceId": .string(Self.iPhone)]
        )
        try expect(
            response.body["conversation"].string == Self.conversation,
            "the tap leads to the conversation",
            response.body
        )
        let unread = try await phone.call("GET", path("unread"))
        try expect(unread.body["unread"].integer == 2, "a tap does not change the unread count", unread.body)
        show(
            "the app opens conversation \(Self.conversation) at sequence \(response.body["sequence"].plain); unread is still 2"
        )
    }

    private func read(_ phone: APIClient) async throws {
        let before = environment.lastPush
        let response = try await phone.call(
            "POST",
            path("conversations", Self.conversation, "read"),
            body: ["upToSequence": 2]
        )
        try expect(response.body["unread"].integer == 0, "everything is read", response.body)
        show("unread is 0")
        let pushes = try await environment.pushes(1, after: before)
        for push in pushes { show(push.lines) }
        guard let push = pushes.first, push.provider == "fcm" else {
            throw broken("the other phone receives a push that only sets the badge", .null)
        }
        try expect(push.isAccepted, "fcm accepts the push: \(push.reason)", push.body)
        try expect(push.badge == 0 && push.text.isEmpty, "it carries badge 0 and no text", push.body)
    }

    private func deliveries() async throws {
        // The provider's response is recorded after the phone has the push: wait until all deliveries are finished.
        var body = JSONValue.null
        let deadline = ContinuousClock.now + .seconds(10)
        repeat {
            body = try await admin.call("GET", path("deliveries")).body
            if body["items"].items.allSatisfy({ Self.finished.contains($0["state"].plain) }) { break }
            try await Task.sleep(for: .milliseconds(20))
        } while ContinuousClock.now < deadline
        let items = body["items"].items
        show(TextTable(items, columns: TextTable.deliveryColumns).text)
        try expect(items.count == 5, "two messages to two phones and one badge make five deliveries", body)
        try expect(
            items.filter { $0["state"].string == "tapped" }.map { $0["deviceId"].plain } == [Self.iPhone],
            "the tapped one is the iPhone's",
            body
        )
        try expect(
            items.allSatisfy { ["accepted", "tapped"].contains($0["state"].plain) },
            "every other one is accepted",
            body
        )
    }

    private static let finished: Set<String> = [
        "accepted", "delivered", "tapped", "failed", "expired", "suppressed", "cancelled",
    ]

    // MARK: Showing and checking

    private func heading(_ text: String) { show("\n\(text)") }

    private func path(_ parts: String...) -> [String] { ["v1", "brands", Self.brand] + parts }

    private func expect(_ condition: Bool, _ text: String, _ seen: JSONValue) throws {
        if !condition { throw broken(text, seen) }
    }

    private func broken(_ text: String, _ seen: JSONValue) -> CommandFailure {
        CommandFailure(
            .failure,
            "the demonstration failed: expected that \(text)\(seen == .null ? "" : "; saw \(seen.text)")"
        )
    }
}
