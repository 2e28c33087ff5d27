import PushSimulator
import Testing

@Suite struct FCMValidatorTests {
    static let now = SimulatorTime(seconds: 1_800_000_000)
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    static let path = "/v1/projects/bank/messages:send"

    static let validator: FCMValidator = {
        func grant(_ project: String, _ scope: String, lives seconds: Int64) -> AccessGrant {
            AccessGrant(
                clientEmail: "a@b.example",
                projectID: project,
                scopes: [scope],
                expires: SimulatorTime(seconds: now.seconds + seconds)
            )
        }
        let grants = [
            "good": grant("bank", scope, lives: 60),
            "wide": grant("bank", "https://www.googleapis.com/auth/cloud-platform", lives: 60),
            "expired": grant("bank", scope, lives: 0),
            "narrow": grant("bank", "https://www.googleapis.com/auth/devstorage.read_only", lives: 60),
            "foreign": grant("shop", scope, lives: 60),
        ]
        let devices = [
            "gone": SimulatedDevice(unregisteredSince: now), "theirs": SimulatedDevice(app: "shop"),
        ]
        return FCMValidator(directory: FCMDirectory(grants: grants, devices: devices)) { "id" }
    }()

    static func verdict(
        _ body: String,
        authorization: String? = "Bearer good",
        path: String = path,
        method: String = "POST"
    ) -> PushVerdict {
        var headers = [(name: "content-type", value: "application/json")]
        if let authorization { headers.append(("authorization", authorization)) }
        let request = SimulatorRequest(method: method, path: path, headers: headers, body: Array(body.utf8))
        return validator.verdict(on: request, at: now)
    }

    /// Returns the `error` object of a response.
    static func error(_ verdict: PushVerdict) throws -> JSONValue? {
        try JSONValue(parsing: verdict.reply.body)["error"]
    }

    @Test(
        "documented members are accepted, in both spellings",
        arguments: [
            #"{"message":{"token":"t","data":{"a":"b"}}}"#,
            #"{"message":{"topic":"news","notification":{"title":"t","body":"b","image":"https://x.example"}}}"#,
            #"{"message":{"condition":"'a' in topics"},"validate_only":true}"#,
            #"{"validateOnly":false,"message":{"token":"t","android":{"collapseKey":"k","ttl":"3.5s"}}}"#,
            #"{"message":{"token":"t","android":{"priority":"high"}}}"#,
            #"{"message":{"token":"t","android":{"collapse_key":"k","ttl":"2419200s","priority":"HIGH"}}}"#,
            ##"""
            {"message":{"token":"t","android":{"notification":{"channel_id":"c","notification_count":"3",
            "color":"#00ffAA","visibility":"PRIVATE","event_time":"2026-01-02T03:04:05.5Z","vibrate_timings":["0.1s"],
            "light_settings":{"color":{"red":1,"alpha":0.5},"light_on_duration":"1s"}}}}}
            """##,
            #"{"message":{"token":"t","apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{"x":[1]}}}}}"#,
            #"{"message":{"token":"t","webpush":{"fcm_options":{"link":"https://x.example"}},"data":null}}"#,
        ]
    )
    func accepted(body: String) throws {
        let verdict = Self.verdict(body)
        #expect(verdict.reason == nil)
        #expect(verdict.reply.status == 200)
        let name = try JSONValue(parsing: verdict.reply.body)["name"]?.stringValue
        let isDryRun = body.contains(#""validate_only":true"#)
        #expect(name == "projects/bank/messages/" + (isDryRun ? "fake_message_id" : "id"))
    }

    static let mistyped: [(body: String, field: String)] = [
        (#"{"message":{"token":"t","to":"x"}}"#, "message"),
        (#"{"message":{"token":"t"},"extra":1}"#, ""),
        (#"{"message":{"token":"t","data":{"a":1}}}"#, "message.data[0].value"),
        (#"{"message":{"token":"t","data":{"a":"b","c":true}}}"#, "message.data[1].value"),
        (#"{"message":{"token":"t","data":[]}}"#, "message.data"),
        (#"{"message":{"token":5}}"#, "message.token"),
        (#"{"message":{"token":"t","android":{"ttl":60}}}"#, "message.android.ttl"),
        (#"{"message":{"token":"t","android":{"ttl":"60"}}}"#, "message.android.ttl"),
        (#"{"message":{"token":"t","android":{"priority":"URGENT"}}}"#, "message.android.priority"),
        (#"{"message":{"token":"t","android":{"alert":"x"}}}"#, "message.android"),
        (
            #"{"message":{"token":"t","android":{"collapse_key":"a","collapseKey":"b"}}}"#,
            "message.android.collapseKey"
        ),
        (
            #"{"message":{"token":"t","android":{"notification":{"notification_priority":"high"}}}}"#,
            "message.android.notification.notification_priority"
        ),
        (
            #"{"message":{"token":"t","android":{"notification":{"color":"red"}}}}"#,
            "message.android.notification.color"
        ),
        (#"{"message":{"token":"t","apns":{"headers":{"apns-priority":5}}}}"#, "message.apns.headers[0].value"),
        (#"{"message":{"token":"t","topic":"n"}}"#, "message.topic"),
        (#"{"message":"t"}"#, "message"),
        (#"{"message":{"token":"t"}"#, ""),
        ("[]", ""),
    ]

    @Test("JSON of another form is 400 INVALID_ARGUMENT with the field, without FCM's own code", arguments: mistyped)
    func malformed(body: String, field: String) throws {
        let verdict = Self.verdict(body)
        let error = try Self.error(verdict)
        #expect(verdict.reply.status == 400)
        #expect(error?["status"] == .string("INVALID_ARGUMENT"))
        #expect(error?["code"] == .integer(400))
        let details = error?["details"]?.elements ?? []
        #expect(details.count == 1)
        #expect(details.first?["@type"] == .string("type.googleapis.com/google.rpc.BadRequest"))
        #expect(details.first?["fieldViolations"]?[0]?["field"] == .string(field))
    }

    static let big = String(repeating: "x", count: 4096)

    static let refused: [(body: String, status: Int, rpc: String, code: String)] = [
        ("{}", 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (#"{"message":{}}"#, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (#"{"message":{"token":"has space"}}"#, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (#"{"message":{"topic":"/topics/n"}}"#, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (#"{"message":{"token":"t","data":{"from":"x"}}}"#, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (#"{"message":{"token":"t","data":{"google.x":"x"}}}"#, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (#"{"message":{"token":"t","android":{"data":{"gcmx":"x"}}}}"#, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (#"{"message":{"token":"t","android":{"ttl":"2419201s"}}}"#, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (#"{"message":{"token":"t","android":{"ttl":"-1s"}}}"#, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (
            #"{"message":{"token":"t","webpush":{"fcm_options":{"link":"http://x.example"}}}}"#, 400,
            "INVALID_ARGUMENT", "INVALID_ARGUMENT"
        ),
        (#"{"message":{"token":"t","data":{"a":"\#(big)"}}}"#, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        (#"{"message":{"token":"theirs"}}"#, 403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
        (#"{"message":{"token":"gone"}}"#, 404, "NOT_FOUND", "UNREGISTERED"),
    ]

    @Test("a message that FCM itself rejects gets FCM's own code", arguments: refused.indices)
    func rejection(index: Int) throws {
        let row = Self.refused[index]
        let verdict = Self.verdict(row.body)
        let error = try Self.error(verdict)
        #expect(verdict.reply.status == row.status)
        #expect(error?["status"] == .string(row.rpc))
        #expect(error?["code"] == .integer(Int64(row.status)))
        let codes = (error?["details"]?.elements ?? []).compactMap { $0["errorCode"]?.stringValue }
        #expect(codes == [row.code])
        #expect(verdict.reason == row.code)
    }

    static let unauthorized: [(authorization: String?, status: Int, reason: String)] = [
        (nil, 401, "CREDENTIALS_MISSING"),
        ("Bearer unknown", 401, "ACCESS_TOKEN_TYPE_UNSUPPORTED"),
        ("Basic good", 401, "ACCESS_TOKEN_TYPE_UNSUPPORTED"),
        ("Bearer expired", 401, "ACCESS_TOKEN_EXPIRED"),
        ("Bearer narrow", 403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT"),
        ("Bearer foreign", 403, "IAM_PERMISSION_DENIED"),
    ]

    @Test("an invalid access token is rejected without FCM's own code", arguments: unauthorized.indices)
    func authorization(index: Int) throws {
        let row = Self.unauthorized[index]
        let verdict = Self.verdict(#"{"message":{"token":"t"}}"#, authorization: row.authorization)
        let error = try Self.error(verdict)
        #expect(verdict.reply.status == row.status)
        #expect(error?["status"] == .string(row.status == 401 ? "UNAUTHENTICATED" : "PERMISSION_DENIED"))
        #expect(error?["details"]?[0]?["reason"] == .string(row.reason))
        #expect(error?["details"]?[0]?["errorCode"] == nil)
        #expect(verdict.reply.headers.contains { $0.name == "www-authenticate" } == (row.status == 401))
    }

    @Test("the wide scope also allows sending")
    func wideScope() {
        #expect(Self.verdict(#"{"message":{"token":"t"}}"#, authorization: "bearer wide").isAccepted)
    }

    @Test(
        "another path or method gets a web page, as from Google's front end",
        arguments: [
            ("POST", "/v1/projects/bank/messages"), ("POST", "/v1/projects//messages:send"),
            ("POST", "/v1/projects/a/b/messages:send"), ("GET", path), ("POST", "/fcm/send"),
        ]
    )
    func otherPaths(method: String, path: String) {
        let verdict = Self.verdict(#"{"message":{"token":"t"}}"#, path: path, method: method)
        #expect(verdict.reply.status == 404)
        #expect(verdict.reply.headers.first { $0.name == "content-type" }?.value.hasPrefix("text/html") == true)
    }
}
