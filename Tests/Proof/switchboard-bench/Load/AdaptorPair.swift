import AsyncHTTPClient
import Foundation
import GatewayModel
import Identity
import NIOHTTP1
import ProcessHarness
import PushSimulator

/// An adaptor's route, and the gateway's own route that does the same.
struct AdaptorPair: Sendable {
    /// The name in the report.
    var name: String
    var adaptor: LoadRoute
    /// Its bodies are as long as the adaptor's of the same number.
    var native: LoadRoute
    /// Whether each request becomes an event.
    var makesEvents = true
}

/// The pairs of an installation.
struct AdaptorPairs {
    private static let brand = "/v1/brands/\(Installation.brand)"
    private static let text = "Your order has shipped and will be with you tomorrow between nine and eleven."
    private static let secret = "kx8wYq3vT1mZ5nB7"
    /// The consumers of consents, which have no device, so that no pushes wait for them; a multiple of the connections.
    private static let customers = 64
    private static let mapping = #"""
        {"filter":{"/type":["reply","comment"],"/public":true},"event":{"type":"agent.message",\#
        "consumer":{"pointer":"/ticket/requester/external_id"},"conversation":{"pointer":"/ticket/id"},\#
        "text":{"pointer":"/comment/body"},"agent":{"nickname":{"pointer":"/comment/author/name"}},\#
        "data":{"from":"helpdesk"}}}
        """#

    /// The value of `authorization` of the back-end.
    private let authorization: String
    /// The number of consumers, with one device each, which take turns.
    private let consumers: Int
    /// The value of `authorization` of an app with Bloomreach's SDK.
    private let apiKey: String
    private let hookSecret = WebhookSecret()

    /// Configures the brand, and pauses its lanes.
    ///
    /// - Parameters:
    ///   - installation: An installation that is not configured.
    ///   - http: An HTTP client.
    ///   - consumers: The number of consumers, which take turns.
    /// - Throws: An error when a request is rejected.
    init(_ installation: Installation, _ http: HTTPClient, consumers: Int) async throws {
        self.consumers = consumers
        authorization = try await installation.configure(http: http, consumers: consumers)
        let settings =
            #"{"wire":{"liveperson":true,"gorush":true,"bloomreach":true},"consentCategories":"#
            + #"[{"id":"news","translations":{"en":{"name":"News"}}}]}"#
        try await installation.call(http, "PATCH", Self.brand, #"{"settings":\#(settings)}"#)
        let chatwoot = #"{"kind":"chatwoot","secret":"\#(Self.secret)"}"#
        try await installation.call(http, "PUT", Self.brand + "/hooks/chatwoot", chatwoot)
        let generic = #"{"kind":"generic","secret":"\#(hookSecret.text)","mapping":\#(Self.mapping)}"#
        try await installation.call(http, "PUT", Self.brand + "/hooks/generic", generic)
        let key = try await installation.call(
            http,
            "POST",
            Self.brand + "/credentials",
            #"{"kind":"apiKey","name":"app"}"#
        )
        guard let secret = key["secret"] as? String else { throw HarnessError("the gateway returned no API key") }
        apiKey = "Token \(secret)"
        // From its first read on, the feed has what apps track.
        try await installation.call(http, "GET", Self.brand + "/outbound/bench")
        let lanes = try await installation.call(http, "GET", Self.brand + "/lanes")["items"] as? [[String: Any]]
        for lane in lanes?.compactMap({ $0["id"] as? String }) ?? [] {
            try await installation.call(http, "POST", Self.brand + "/lanes/\(lane)/pause")
        }
    }

    // MARK: Pairs

    /// The pairs whose requests become an agent's message with one push.
    var messages: [AdaptorPair] { [livePerson, gorush, chatwoot, generic] }

    private var livePerson: AdaptorPair {
        pair("LivePerson's push proxy", Self.brand + "/push-proxy", status: .ok, authorization) { number, consumer in
            LoadRoute.Request(
                #"{"aps":{"alert":"\#(Self.text)","sound":"default"},"push-service":1,"#
                    + #""device-token":"\#(Installation.token(consumer))","backendService":"ams","#
                    + #""conversationId":"dialog-\#(consumer)","dialogId":"dialog-\#(consumer)","#
                    + #""originatorId":"8500.2001","brandId":"\#(Installation.brand)","badge":3,"#
                    + #""sequence":\#(number),"notificationType":"apn"}"#
            )
        } native: { number, consumer in
            #""source":"liveperson","conversation":"dialog-\#(consumer)","dialog":"dialog-\#(consumer)","#
                + #""sourceSequence":\#(number),"agent":{"id":"8500.2001"},"sound":"default""#
        }
    }

    private var gorush: AdaptorPair {
        pair("gorush's push call", "/api/push", status: .ok, authorization) { number, consumer in
            LoadRoute.Request(
                #"{"notifications":[{"tokens":["\#(Installation.token(consumer))"],"platform":1,"#
                    + #""topic":"com.example.app","message":"\#(Self.text)","title":"Dana","#
                    + #""notif_id":"push-\#(number)","thread-id":"thread-\#(consumer)","#
                    + #""sound":{"name":"default"},"data":{"carrier":"post"}}]}"#
            )
        } native: { _, consumer in
            #""source":"gorush","conversation":"thread-\#(consumer)","title":"Dana","sound":"default","#
                + #""data":{"carrier":"post"}"#
        }
    }

    private var chatwoot: AdaptorPair {
        let (sender, time) = (SimulatedChatwoot(secret: Self.secret), SystemClock().now.rfc3339)
        return pair("Chatwoot's webhook", "/v1/hooks/\(Installation.brand)/chatwoot", "") { number, consumer in
            let bytes = SimulatedChatwoot.message(Self.text, to: "consumer-\(consumer)", in: Int64(consumer + 1))
            // An event of the past week.
            let body = String(decoding: bytes, as: UTF8.self)
                .replacingOccurrences(of: "2026-01-02T03:04:05.678Z", with: time)
            var request = LoadRoute.Request(body)
            let now = SimulatorTime(milliseconds: SystemClock().now.milliseconds)
            request.fields = sender.headers(of: request.body, delivery: "delivery-\(number)", at: now)
            return request
        } native: { _, consumer in
            #""source":"hook/chatwoot","conversation":"chatwoot:\#(consumer + 1)","time":"\#(time)","#
                + #""agent":{"id":"7","nickname":"Dana"}"#
        }
    }

    private var generic: AdaptorPair {
        let secret = hookSecret
        return pair("generic webhook", "/v1/hooks/\(Installation.brand)/generic", "") { number, consumer in
            var request = LoadRoute.Request(
                #"{"type":"reply","public":true,"ticket":{"id":\#(consumer + 1),"subject":"Where is my order?","#
                    + #""requester":{"external_id":"consumer-\#(consumer)","name":"Ann Example"}},"#
                    + #""comment":{"id":\#(number),"created_at":"2026-01-02T03:04:05.678Z","#
                    + #""body":"\#(Self.text)","author":{"id":7,"name":"Dana"}}}"#
            )
            let (id, now) = ("msg-\(number)", SystemClock().now)
            request.fields = [
                ("webhook-id", id), ("webhook-timestamp", String(now.seconds)),
                ("webhook-signature", secret.signature(of: request.body, id: id, at: now)),
            ]
            return request
        } native: { _, consumer in
            #""source":"hook/generic","conversation":"\#(consumer + 1)","agent":{"nickname":"Dana"},"#
                + #""data":{"from":"helpdesk"}"#
        }
    }

    /// A consent as the app's SDK tracks it, which is also an item of the feed, and as a back-end sets it, which is also an
    /// entry of the audit trail.
    var consent: AdaptorPair {
        let adaptor: @Sendable (Int) -> LoadRoute.Request = { number in
            let action = number / Self.customers % 2 == 0 ? "accept" : "reject"
            return LoadRoute.Request(
                #"{"customer_ids":{"registered":"customer-\#(number % Self.customers)"},"event_type":"consent","#
                    + #""properties":{"action":"\#(action)","category":"news","valid_until":"unlimited"}}"#
            )
        }
        let track = "/track/v2/projects/\(Installation.brand)/customers/events"
        return AdaptorPair(
            name: "Bloomreach's customer events (consent)",
            adaptor: LoadRoute(path: track, authorization: apiKey, status: .ok, request: adaptor),
            native: LoadRoute(path: "", authorization: authorization, method: .PUT, status: .noContent) { number in
                let body = #"{"granted":\#(number / Self.customers % 2 == 0)}"#
                // Other members are refused here.
                let spaces = String(repeating: " ", count: max(adaptor(number).body.count - body.utf8.count, 0))
                var request = LoadRoute.Request(body + spaces)
                request.path = Self.brand + "/consumers/customer-\(number % Self.customers)/consents/news"
                return request
            },
            makesEvents: false
        )
    }

    /// Returns a pair with the events route.
    ///
    /// - Parameters:
    ///   - name: The name in the report.
    ///   - path: The path of the adaptor.
    ///   - status: The status of its responses.
    ///   - credential: The value of its `authorization`.
    ///   - adaptor: Makes its request of a number for a consumer.
    ///   - native: Returns the members of the same event beside the id, type, consumer and text.
    /// - Returns: The pair.
    private func pair(
        _ name: String,
        _ path: String,
        status: HTTPResponseStatus = .accepted,
        _ credential: String,
        adaptor: @escaping @Sendable (_ number: Int, _ consumer: Int) -> LoadRoute.Request,
        native: @escaping @Sendable (_ number: Int, _ consumer: Int) -> String
    ) -> AdaptorPair {
        let consumers = consumers
        return AdaptorPair(
            name: name,
            adaptor: LoadRoute(path: path, authorization: credential, status: status) { number in
                adaptor(number, number % consumers)
            },
            native: LoadRoute(path: Self.brand + "/events", authorization: authorization) { number in
                let consumer = number % consumers
                let event =
                    #"{"id":"event-\#(number)","type":"agent.message","consumer":"consumer-\#(consumer)","#
                    + #""text":"\#(Self.text)",\#(native(number, consumer)),"padding":""#
                let missing = adaptor(number, consumer).body.count - event.utf8.count - 2
                return LoadRoute.Request(event + String(repeating: "x", count: max(missing, 0)) + "\"}")
            }
        )
    }
}
