import PushSimulator
import Testing

@Suite(.timeLimit(.minutes(10))) struct IndependentClientTests {
    /// Starts a simulator, runs a script against it, and returns the script's output.
    private static func run(_ script: String, body: (JSONValue, PushSimulator) throws -> Void) async throws {
        let simulator = try await PushSimulator.start()
        let control = simulator.control.map { "http://\($0)" } ?? ""
        let result = await Result {
            let output = try await ChildProgram.node(
                script,
                [simulator.credentials.folder, "\(simulator.apns)", "\(simulator.fcm)", control]
            )
            try body(output, simulator)
        }
        await simulator.stop()
        try result.get()
    }

    @Test("Node's client gets Apple's responses, limits, resets and GOAWAY")
    func apns() async throws {
        try await Self.run(NodeScripts.apns) { output, _ in
            #expect(output["limits"] == .array([.integer(1), .integer(1000)]))
            #expect(output["accepted"]?["status"] == .integer(200))
            #expect(output["accepted"]?["text"] == .string(""))
            #expect(output["accepted"]?["id"]?.stringValue?.count == 36)
            #expect(output["forged"]?["status"] == .integer(403))
            #expect(output["forged"]?["text"] == .string(#"{"reason":"InvalidProviderToken"}"#))
            #expect(output["reset"]?["status"] == nil)
            #expect(output["reset"]?["code"] == .integer(7))
            #expect(output["covered"]?["status"] == .integer(200))
            #expect(output["goaway"]?["code"] == .integer(0))
            #expect(output["goaway"]?["last"] == .integer(7))
            #expect(output["goaway"]?["data"] == .string(#"{"reason":"Shutdown"}"#))
        }
    }

    @Test("Node's client authenticates with the .p12 file, opens many streams at once, and sends only to its topics")
    func certificate() async throws {
        try await Self.run(NodeScripts.certificate) { output, _ in
            #expect(output["limits"]?[1] == .integer(1000) || output["limits"]?[0] == .integer(1000))
            #expect(output["accepted"]?["status"] == .integer(200))
            #expect(output["other"]?["status"] == .integer(400))
            #expect(output["other"]?["text"] == .string(#"{"reason":"TopicDisallowed"}"#))
        }
    }

    @Test("Node's client gets an access token and Google's responses")
    func fcm() async throws {
        try await Self.run(NodeScripts.fcm) { output, simulator in
            #expect(output["type"] == .string("service_account"))
            #expect(output["uri"] == .string(simulator.tokenURI))
            #expect(output["grant"] == .integer(200))
            #expect(output["accepted"] == .integer(200))
            let error = output["unknown"]?["error"]
            #expect(error?["status"] == .string("INVALID_ARGUMENT"))
            #expect(error?["details"]?[0]?["fieldViolations"]?[0]?["field"] == .string("message"))
        }
    }

    @Test("the control port waits, lists, sets rules, counts and clears")
    func control() async throws {
        try await Self.run(NodeScripts.control) { output, _ in
            #expect(
                output["empty"]
                    == .object([.init(name: "pushes", value: .array([])), .init(name: "next", value: .integer(0))])
            )
            let woken = output["woken"]
            #expect(woken?["next"] == .integer(1))
            let push = woken?["pushes"]?[0]
            #expect(push?["number"] == .integer(1))
            #expect(push?["provider"] == .string("apns"))
            #expect(push?["result"] == .string("accepted"))
            #expect(push?["status"] == .integer(200))
            #expect(push?["reason"] == nil)
            #expect(push?["connection"] == .integer(1))
            #expect(push?["token"] == .string("abcd"))
            #expect(push?["path"] == .string("/3/device/abcd"))
            #expect(push?["headers"]?["apns-push-type"] == .string("alert"))
            #expect(push?["body"]?["aps"]?["alert"] == .string("x"))
            let time = try #require(push?["time"]?.stringValue)
            #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            #expect(output["wrong"] == .integer(400))
            #expect(output["wrongText"] == .string("rule 0, do: unknown member \"explode\"\n"))
            #expect(output["badQuery"] == .integer(400))
            #expect(output["right"] == .integer(200))
            #expect(output["rulesShown"]?[0]?["do"]?["status"] == .integer(410))
            #expect(output["gone"]?["status"] == .integer(410))
            #expect(output["later"]?["pushes"]?.elements?.count == 1)
            #expect(output["later"]?["pushes"]?[0]?["reason"] == .string("Unregistered"))
            #expect(output["later"]?["next"] == .integer(2))
            let stats = output["stats"]
            #expect(stats?["accepted"] == .integer(1))
            #expect(stats?["refused"] == .integer(1))
            #expect(stats?["unanswered"] == .integer(0))
            #expect(stats?["providers"]?["apns"]?["outcomes"]?.elements?.count == 2)
            #expect(stats?["providers"]?["apns"]?["connections"]?["opened"] == .integer(1))
            #expect(output["cleared"] == .integer(204))
            #expect(output["after"]?["pushes"] == .array([]))
        }
    }
}
